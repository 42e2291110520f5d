//! Linux, macOS and the BSDs.

pub(super) mod files;
pub(super) mod process;
#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
mod refused;
pub(super) mod terminal;
