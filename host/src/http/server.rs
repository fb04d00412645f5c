//! The socket: binding it, serving until a signal comes, and letting running requests finish.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::{MatchedPath, Request};
use axum::{Router, middleware};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tower::ServiceExt;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::{DefaultPredicate, NotForContentType, Predicate};
use tower_http::request_id::{MakeRequestUuid, PropagateRequestIdLayer, RequestId, SetRequestIdLayer};
use tower_http::trace::{DefaultOnResponse, TraceLayer};

use super::guard;

/// How long requests that run when a signal comes may take to finish.
const FAREWELL: Duration = Duration::from_secs(30);

/// How long the head of a request may take to arrive, on a connection that waits for one.
const HEAD: Duration = Duration::from_secs(30);

/// Connections at the same time; others wait to be accepted.
const CONNECTIONS: usize = 2_048;

/// How long to wait when the system has no more sockets to give.
const PAUSE: Duration = Duration::from_millis(200);

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
        self.serve_with(router, stop, HEAD).await
    }

    async fn serve_with(
        self,
        router: Router,
        stop: impl Future<Output = ()> + Send + 'static,
        head: Duration,
    ) -> Result<(), ServeError> {
        let router = surround(router, self.address);
        let mut http = auto::Builder::new(TokioExecutor::new()).http1_only();
        http.http1().timer(TokioTimer::new()).header_read_timeout(head);
        let connections = GracefulShutdown::new();
        let room = Arc::new(Semaphore::new(CONNECTIONS));
        tokio::pin!(stop);
        loop {
            let accepted = async {
                let place = Arc::clone(&room).acquire_owned().await.expect("it is never closed");
                (self.listener.accept().await, place)
            };
            let (accepted, place) = tokio::select! {
                accepted = accepted => accepted,
                () = &mut stop => break,
            };
            let stream = match accepted {
                Ok((stream, _)) => stream,
                Err(error) => {
                    // A client that is gone again is no matter; one for whom there is no socket left may try again.
                    tracing::debug!(%error, "a connection could not be accepted");
                    tokio::time::sleep(PAUSE).await;
                    continue;
                }
            };
            let service =
                TowerToHyperService::new(router.clone().map_request(|request: Incoming| request.map(Body::new)));
            let served = connections.watch(http.serve_connection(TokioIo::new(stream), service).into_owned());
            tokio::spawn(async move {
                // How a connection ends is its client's matter.
                let _ = served.await;
                drop(place);
            });
        }
        drop(self.listener);
        tracing::info!("stopping; running requests may finish");
        if tokio::time::timeout(FAREWELL, connections.shutdown()).await.is_err() {
            tracing::warn!("some requests did not finish in time");
        }
        Ok(())
    }
}

/// A request as it comes from its connection.
type Incoming = Request<hyper::body::Incoming>;

/// What git gets is compressed already.
fn is_worth_it() -> impl Predicate {
    let not = NotForContentType::const_new;
    DefaultPredicate::new().and(not("application/gzip")).and(not("application/x-git"))
}

/// What a request passes on its way to the routes, outermost last.
fn surround(router: Router, address: SocketAddr) -> Router {
    let router = router.layer(CompressionLayer::new().compress_when(is_worth_it())).layer(guard::same_origin());
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

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpStream;

    use super::*;

    #[tokio::test]
    async fn a_head_that_never_ends_ends_its_connection_and_no_other() {
        let server = Server::bind(([127, 0, 0, 1], 0).into(), false).await.unwrap();
        let address = server.address();
        let router = Router::new().fallback(async || "here");
        let served = server.serve_with(router, std::future::pending(), Duration::from_millis(50));
        tokio::spawn(served);
        for slow in ["", "G", "GET / HTTP/1.1\r\nHost: loc"] {
            let mut slow_one = TcpStream::connect(address).await.unwrap();
            slow_one.write_all(slow.as_bytes()).await.unwrap();
            let mut quick_one = TcpStream::connect(address).await.unwrap();
            quick_one.write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").await.unwrap();
            let mut answer = String::new();
            quick_one.read_to_string(&mut answer).await.unwrap();
            assert!(answer.starts_with("HTTP/1.1 200 OK") && answer.ends_with("here"), "{answer}");
            let mut rest = Vec::new();
            let ended = tokio::time::timeout(Duration::from_secs(20), slow_one.read_to_end(&mut rest)).await;
            assert!(ended.is_ok(), "{slow:?} holds its connection: {rest:?}");
        }
    }
}
