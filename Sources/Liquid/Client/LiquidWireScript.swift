/// The first half of `/services/liquid/client.js`: what it says of itself, and one session of Engine.IO 4
/// (protocols/liquid.md, 4) over WebSocket or long polling.
enum LiquidWireScript {
    static let text = #"""
        // @ts-check
        /**
         * A page that wants a wallet, or a wallet that is a page: one session of Liquid Auth, from request id to data
         * channel. Socket.IO 5 over Engine.IO 4 as far as that needs it, so that nothing else is loaded.
         *
         *     import { LiquidClient } from "https://HOST/services/liquid/client.js";
         *     const client = new LiquidClient({ server: "https://HOST" });
         *     showQRCode(client.link);
         *     client.addEventListener("state", () => show(client.state, client.reason));
         *     client.addEventListener("message", event => read(event.detail));
         *     client.start();
         *
         * @typedef {"page" | "wallet"} Role the page waits for an offer, the wallet makes it
         * @typedef {"new" | "connecting" | "waiting" | "linked" | "open" | "offline" | "ended"} State
         *   waiting: for a wallet that names the request id; linked: the other side is known; open: messages go
         *   through; offline: the server cannot be reached, and is tried again; ended: nothing follows
         * @typedef {"stopped" | "expired" | "over"} Reason why it ended: by `stop`, as nobody came in time, as the
         *   session was ended elsewhere
         * @typedef {object} Options
         * @property {string} [server] origin of the server; the page's own where it is left out
         * @property {string} [requestId] a UUID of which nobody knows before it is shown
         * @property {Role} [role]
         * @property {RTCIceServer[]} [iceServers] in place of those that the server gives
         * @property {boolean} [relayOnly] by TURN alone: the other side does not learn this one's addresses
         */

        /** Milliseconds: from `link` until a wallet has come, as the server has it; the first and the longest pause. */
        const LINK_LIFETIME = 300_000, FIRST_PAUSE = 500, LONGEST_PAUSE = 30_000;
        /** Milliseconds after which an offer that nobody took up is made again. */
        const UNANSWERED = 15_000;
        const RECORD = "\x1e";

        /** One Engine.IO session, by WebSocket, or by long polling where none opens. Once over, it never comes back. */
        class Wire {
          #address; #hear; #leave; #isOver = false;
          /** @type {WebSocket | null} */ #socket = null;
          /** @type {string[]} */ #unsent = [];
          #sid = ""; #isPosting = false; #patience = 45_000; #timer = 0; #ending = new AbortController();

          /**
           * @param {string} server
           * @param {(message: string) => void} hear what Socket.IO says
           * @param {() => void} leave it is over
           */
          constructor(server, hear, leave) {
            [this.#address, this.#hear, this.#leave] = [new URL("/socket.io/?EIO=4", server), hear, leave];
            this.#await();
            let isOpen = false;
            const address = new URL(this.#address);
            address.protocol = address.protocol.replace("http", "ws");
            address.searchParams.set("transport", "websocket");
            try {
              const socket = this.#socket = new WebSocket(address);
              socket.onopen = () => { isOpen = true; };
              socket.onmessage = event => {
                try { this.#take(String(event.data)); } catch { this.close(); }
              };
              socket.onclose = () => {
                if (isOpen || this.#isOver) return this.close();
                this.#socket = null;
                this.#poll();
              };
            } catch {
              this.#poll();
            }
          }

          /** @param {string} message of Socket.IO */
          send(message) { this.#write("4" + message); }

          close() {
            if (this.#isOver) return;
            this.#isOver = true;
            clearTimeout(this.#timer);
            this.#ending.abort();
            this.#socket?.close();
            this.#leave();
          }

          /** The server pings; whoever hears nothing for so long is alone. */
          #await() {
            clearTimeout(this.#timer);
            this.#timer = setTimeout(() => this.close(), this.#patience);
          }

          /** @param {string} packet */
          #take(packet) {
            if (this.#isOver) return;
            this.#await();
            switch (packet[0]) {
              case "0": {
                const { sid, pingInterval, pingTimeout } = JSON.parse(packet.slice(1));
                [this.#sid, this.#patience] = [sid, pingInterval + pingTimeout];
                return this.#write("40");
              }
              case "1": return this.close();
              case "2": return this.#write("3");
              case "4": return this.#hear(packet.slice(1));
            }
          }

          /** @param {string} packet */
          #write(packet) {
            if (this.#isOver) return;
            if (this.#socket) return this.#socket.send(packet);
            this.#unsent.push(packet);
            this.#post();
          }

          /** @param {RequestInit} [request] */
          async #ask(request) {
            const address = new URL(this.#address);
            address.searchParams.set("transport", "polling");
            if (this.#sid) address.searchParams.set("sid", this.#sid);
            const reply = await fetch(address, { ...request, credentials: "include", signal: this.#ending.signal });
            if (!reply.ok) throw new Error(`status ${reply.status}`);
            return reply.text();
          }

          async #poll() {
            try {
              while (!this.#isOver) for (const packet of (await this.#ask()).split(RECORD)) this.#take(packet);
            } catch { this.close(); }
          }

          async #post() {
            if (this.#isPosting) return;
            this.#isPosting = true;
            try {
              while (this.#unsent.length && !this.#isOver) {
                await this.#ask({ method: "POST", body: this.#unsent.splice(0, 16).join(RECORD) });
              }
            } catch { this.close(); }
            this.#isPosting = false;
          }
        }

        """#
}
