//! A network that ends at its own loopback device, for programs that must not reach another machine.

use std::{
    fs::File,
    io::{self, BufRead as _, BufReader, Write as _},
    process::{Child, Command, Stdio},
    sync::Arc,
    thread,
};

/// Where programs under test run: the machine's network, or a closed one.
///
/// A closed network has a loopback device of its own and nothing else, so what runs in it talks to servers started in
/// it ([`Upstream::start_in`](super::Upstream::start_in)) and to no one beside. It needs Linux, `unshare` and
/// `nsenter` of util-linux, and the right to make network namespaces. Clones are the same network; it is gone with
/// the last of them.
#[derive(Clone, Debug)]
pub struct Network {
    closed: Option<Arc<Holder>>,
}

/// The process that a namespace lives by. It waits for the end of its input.
#[derive(Debug)]
struct Holder {
    process: Child,
    namespace: File,
}

impl Drop for Holder {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Network {
    /// The machine's network.
    pub fn open() -> Self {
        Self { closed: None }
    }

    /// A closed network.
    ///
    /// # Errors
    /// Where none can be made; the error says why.
    pub fn closed() -> io::Result<Self> {
        let mut process = Command::new("unshare")
            .args(["--net", "sh", "-c", "ip link set lo up && echo up && read -r wait"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let mut line = String::new();
        if let Some(output) = process.stdout.take() {
            BufReader::new(output).read_line(&mut line)?;
        }
        // Opened while the process lives: the file keeps the namespace from then on.
        let namespace = File::open(format!("/proc/{}/ns/net", process.id()));
        let namespace = match namespace {
            Ok(namespace) if line == "up\n" => namespace,
            other => {
                let _ = process.kill();
                let _ = process.wait();
                let refused = io::Error::new(io::ErrorKind::PermissionDenied, "unshare --net or ip failed");
                return Err(other.err().unwrap_or(refused));
            }
        };
        let network = Self { closed: Some(Arc::new(Holder { process, namespace })) };
        network.within(|| ())?;
        Ok(network)
    }

    /// A closed network where one can be made; else the open one, with a word on stderr.
    pub fn closed_if_possible() -> Self {
        Self::closed().unwrap_or_else(|error| {
            let words = format!("no closed network ({error}): programs under test run in the machine's\n");
            let _ = io::stderr().write_all(words.as_bytes());
            Self::open()
        })
    }

    /// Whether this is a closed network.
    pub fn is_closed(&self) -> bool {
        self.closed.is_some()
    }

    /// A command that runs a program in this network.
    pub fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let Some(holder) = &self.closed else { return Command::new(program) };
        let mut command = Command::new("nsenter");
        command.arg(format!("--net=/proc/{}/ns/net", holder.process.id())).arg("--").arg(program);
        command
    }

    /// Runs a function on a thread of its own in this network, so that the sockets it opens are there.
    ///
    /// # Errors
    /// If the network cannot be entered, or the function panics.
    pub fn within<T: Send>(&self, run: impl FnOnce() -> T + Send) -> io::Result<T> {
        thread::scope(|scope| {
            let thread = scope.spawn(|| self.enter().map(|()| run()));
            thread.join().unwrap_or_else(|_| Err(io::Error::other("the function panicked")))
        })
    }

    /// Moves the calling thread into this network, for the rest of its life.
    pub(super) fn enter(&self) -> io::Result<()> {
        let Some(holder) = &self.closed else { return Ok(()) };
        enter_namespace(holder)
    }
}

#[cfg(target_os = "linux")]
fn enter_namespace(holder: &Holder) -> io::Result<()> {
    use std::os::fd::AsFd as _;

    let kind = rustix::thread::LinkNameSpaceType::Network;
    Ok(rustix::thread::move_into_link_name_space(holder.namespace.as_fd(), Some(kind))?)
}

#[cfg(not(target_os = "linux"))]
fn enter_namespace(_: &Holder) -> io::Result<()> {
    Err(io::Error::new(io::ErrorKind::Unsupported, "namespaces are Linux's"))
}

#[cfg(test)]
mod tests {
    use std::net::{TcpListener, TcpStream};

    use super::Network;

    #[test]
    fn a_closed_network_is_another() {
        let network = Network::closed_if_possible();
        let inside = network.within(|| TcpListener::bind(("127.0.0.1", 0)).unwrap()).unwrap();
        let address = inside.local_addr().unwrap();
        assert!(network.within(|| TcpStream::connect(address).is_ok()).unwrap());
        if network.is_closed() {
            assert!(TcpStream::connect(address).is_err());
        }
        let status = network.command("true").status().unwrap();
        assert!(status.success());
    }
}
