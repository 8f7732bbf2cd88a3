# Makes and starts a cluster, and deletes it when nobody uses it any more.
# Arguments: its folder, the seconds to wait for another user, PostgreSQL's folder, the words that start a program as the
# server's user.
top=$1 idle=$2 programs=$3
shift 3
exec </dev/null >"$top/log" 2>&1 8>"$top/watch.lock"
flock -x 8

stop() {
  if [ -e "$top/cluster/data/postmaster.pid" ]; then
    server=$(head -n 1 "$top/cluster/data/postmaster.pid")
    kill -QUIT "$server"
    while kill -0 "$server" 2>/dev/null; do sleep 0.05; done
  fi
  rm -rf "$top"
  exit
}

if "$@" "$programs/initdb" --pgdata="$top/cluster/data" --username=recto --auth=trust --encoding=UTF8 --locale=C \
  --no-sync --no-instructions 8>&-; then
  cat >>"$top/cluster/data/postgresql.conf" <<CONFIGURATION
listen_addresses = ''
unix_socket_directories = '$top/cluster'
unix_socket_permissions = 0700
fsync = off
full_page_writes = off
max_connections = 300
shared_buffers = 64MB
max_wal_size = 256MB
log_min_messages = fatal
log_min_error_statement = panic
CONFIGURATION
  "$@" "$programs/postgres" -D "$top/cluster/data" 8>&- &
else
  touch "$top/failed"
fi

while :; do
  # Granted when the last of those who share it has ended.
  flock -x "$top/users.lock" true
  sleep "$idle"
  # While this is held nobody can come.
  exec 9>"$top/start.lock"
  flock -x 9
  if flock -n -x "$top/users.lock" true; then stop; fi
  exec 9>&-
done
