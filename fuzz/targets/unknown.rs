#![no_main]

recto_fuzz::format_target!(Unknown);
