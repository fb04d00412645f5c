//! The binary `gligabao`.

use std::process::ExitCode;

fn main() -> ExitCode {
    gligabao::cli::main()
}
