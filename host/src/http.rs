//! The HTTP server: routes, what surrounds them, and the socket.

pub mod error;
mod explain;
mod extract;
mod guard;
pub mod openapi;
mod panic;
pub mod router;
mod routes;
pub mod server;
