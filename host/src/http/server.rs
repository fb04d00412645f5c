//! The socket: binding it, serving until a signal comes, and letting running requests finish.

use std::net::SocketAddr;
use std::time::Duration;

use axum::extract::{MatchedPath, Request};
use axum::{Router, middleware};
use tokio::net::TcpListener;
use tower_http::compression::CompressionLayer;
use tower_http::request_id::{MakeRequestUuid, PropagateRequestIdLayer, RequestId, SetRequestIdLayer};
use tower_http::trace::{DefaultOnResponse, TraceLayer};

use super::guard;

/// How long requests that run when a signal comes may take to finish.
const FAREWELL: Duration = Duration::from_secs(30);

/// Why a server could not start or stopped.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// Anyone who reaches the address could read and write everything.
    #[error(
        "{0} can be reached from other machines, and there are no tokens to keep strangers out; listen on 127.0.0.1, \
         or add --insecure if the network is yours"
    )]
    NotLoopback(SocketAddr),
    /// Something else listens there.
    #[error("{0} is in use; stop what listens there, or choose another port with --listen (port 0 takes a free one)")]
    InUse(SocketAddr),
    /// The system refused the address.
    #[error("can't listen on {0}: {1}")]
    Bind(SocketAddr, std::io::Error),
    /// The socket broke.
    #[error("the server stopped: {0}")]
    Io(#[from] std::io::Error),
}

/// A bound socket.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
}

impl Server {
    /// Binds an address. One that other machines can reach is refused unless `insecure`.
    ///
    /// # Errors
    /// When the address is refused, in use, or not this machine's.
    pub async fn bind(address: SocketAddr, insecure: bool) -> Result<Self, ServeError> {
        if !address.ip().is_loopback() && !insecure {
            return Err(ServeError::NotLoopback(address));
        }
        let listener = TcpListener::bind(address).await.map_err(|error| match error.kind() {
            std::io::ErrorKind::AddrInUse => ServeError::InUse(address),
            _ => ServeError::Bind(address, error),
        })?;
        let address = listener.local_addr()?;
        Ok(Self { listener, address })
    }

    /// Where it listens, with the port that it got.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves until `stop` is done; then running requests have 30 seconds to finish.
    ///
    /// # Errors
    /// When the socket breaks.
    pub async fn serve(
        self,
        router: Router,
        stop: impl Future<Output = ()> + Send + 'static,
    ) -> Result<(), ServeError> {
        let router = surround(router, self.address);
        let (stopping, mut stopped) = tokio::sync::watch::channel(false);
        let signal = async move {
            stop.await;
            tracing::info!("stopping; running requests may finish");
            // Nobody listens any more only if the server is gone already.
            let _ = stopping.send(true);
        };
        let farewell = async move {
            if stopped.wait_for(|stopping| *stopping).await.is_ok() {
                tokio::time::sleep(FAREWELL).await;
            } else {
                std::future::pending::<()>().await;
            }
        };
        tokio::select! {
            ended = axum::serve(self.listener, router).with_graceful_shutdown(signal) => ended?,
            () = farewell => tracing::warn!("some requests did not finish in time"),
        }
        Ok(())
    }
}

/// What a request passes on its way to the routes, outermost last.
fn surround(router: Router, address: SocketAddr) -> Router {
    let router = router.layer(CompressionLayer::new()).layer(guard::same_origin());
    let router =
        if address.ip().is_loopback() { router.layer(middleware::from_fn(guard::loopback_name)) } else { router };
    router
        .layer(PropagateRequestIdLayer::x_request_id())
        .layer(
            TraceLayer::new_for_http()
                .make_span_with(span)
                .on_response(DefaultOnResponse::new().level(tracing::Level::INFO))
                .on_failure(()),
        )
        .layer(SetRequestIdLayer::x_request_id(MakeRequestUuid))
}

/// Names the route, never the path or the parameters: those hold what users say.
fn span(request: &Request) -> tracing::Span {
    let route = request.extensions().get::<MatchedPath>().map_or("", MatchedPath::as_str);
    let id = request.extensions().get::<RequestId>().and_then(|id| id.header_value().to_str().ok()).unwrap_or("");
    tracing::info_span!("request", method = %request.method(), route, id)
}

/// Done when the process is asked to stop: Ctrl-C, or SIGTERM where there is one.
///
/// # Errors
/// When the system lets nobody listen for signals.
pub fn stop_signal() -> std::io::Result<impl Future<Output = ()> + Send + 'static> {
    #[cfg(unix)]
    let mut terminate = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())?;
    Ok(async move {
        #[cfg(unix)]
        let terminated = terminate.recv();
        #[cfg(not(unix))]
        let terminated = std::future::pending::<()>();
        tokio::select! {
            _ = tokio::signal::ctrl_c() => {}
            _ = terminated => {}
        }
    })
}
