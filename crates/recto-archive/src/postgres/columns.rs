//! How values of this crate are kept in columns.

use std::error::Error;

use tokio_postgres::Row;
use tokio_postgres::types::private::BytesMut;
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type, accepts, to_sql_checked};

use super::failure::Failure;
use crate::{Digest, Kind, LogId, Ref, RunId, Scope};

type Failed = Box<dyn Error + Sync + Send>;

/// A count as the server keeps it. Nothing here comes near the end of its range.
pub(super) fn int(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// Reads a count.
pub(super) fn count(row: &Row, column: usize) -> Result<u64, Failure> {
    Ok(u64::try_from(row.try_get::<_, i64>(column)?).unwrap_or(0))
}

macro_rules! text_column {
    ($($name:ty, $text:ident);*) => {$(
        impl ToSql for $name {
            fn to_sql(&self, kind: &Type, out: &mut BytesMut) -> Result<IsNull, Failed> {
                self.$text().to_sql(kind, out)
            }

            fn accepts(kind: &Type) -> bool {
                <&str as ToSql>::accepts(kind)
            }

            to_sql_checked!();
        }

        impl FromSql<'_> for $name {
            fn from_sql(kind: &Type, raw: &[u8]) -> Result<Self, Failed> {
                Ok(<&str as FromSql>::from_sql(kind, raw)?.parse()?)
            }

            fn accepts(kind: &Type) -> bool {
                <&str as FromSql>::accepts(kind)
            }
        }
    )*};
}

text_column!(Scope, as_str; RunId, as_str; LogId, as_str);

impl FromSql<'_> for Ref {
    fn from_sql(kind: &Type, raw: &[u8]) -> Result<Self, Failed> {
        Ok(format!("r:{}", <&str as FromSql>::from_sql(kind, raw)?).parse()?)
    }

    fn accepts(kind: &Type) -> bool {
        <&str as FromSql>::accepts(kind)
    }
}

impl ToSql for Digest {
    fn to_sql(&self, kind: &Type, out: &mut BytesMut) -> Result<IsNull, Failed> {
        self.as_bytes().as_slice().to_sql(kind, out)
    }

    accepts!(BYTEA);
    to_sql_checked!();
}

impl FromSql<'_> for Digest {
    fn from_sql(_: &Type, raw: &[u8]) -> Result<Self, Failed> {
        Ok(Self(raw.try_into()?))
    }

    accepts!(BYTEA);
}

impl ToSql for Kind {
    fn to_sql(&self, kind: &Type, out: &mut BytesMut) -> Result<IsNull, Failed> {
        let number: i16 = match self {
            Self::Original => 0,
            Self::Map => 1,
        };
        number.to_sql(kind, out)
    }

    accepts!(INT2);
    to_sql_checked!();
}

impl FromSql<'_> for Kind {
    fn from_sql(kind: &Type, raw: &[u8]) -> Result<Self, Failed> {
        match i16::from_sql(kind, raw)? {
            0 => Ok(Self::Original),
            1 => Ok(Self::Map),
            other => Err(format!("no kind of bytes has the number {other}").into()),
        }
    }

    accepts!(INT2);
}
