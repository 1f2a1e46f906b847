/// # SocketIO, floor 2
///
/// Owns Engine.IO 4 and Socket.IO 5, a server's side: packets, and the state machines of a session over polling and
/// WebSocket. Values: what arrives goes in, what is to be done comes out; no I/O, no clock, no state elsewhere. Does
/// not own rooms, or who may say what (Liquid). Facts: socketio/socket.io, docs/engine.io-protocol/v4-current and
/// docs/socket.io-protocol/v5-current.
///
/// | file | what |
/// |---|---|
/// | `Engine/EnginePacket` | packets and payloads, their codec |
/// | `Engine/EngineRequest` | what a request asks for, what is refused and answered |
/// | `Engine/EngineSession` | one session: handshake, polls, frames, upgrade, pings, its end |
/// | `Socket/SocketPacket` | packets, and events with attachments |
/// | `Socket/SocketSession` | namespaces joined, attachments gathered |
/// | `SocketLimits` | what one client may cost |
