//! The faces of the binary: its HTTP API, its command line, and the document that describes them.

mod cli;
mod configured;
mod crash;
mod demo;
mod doctor;
mod git;
mod http;
mod missing;
mod models;
mod openapi;
mod repository;
mod requests;
mod running;
mod runs;
mod series;
mod strangers;
mod wire_drift;
