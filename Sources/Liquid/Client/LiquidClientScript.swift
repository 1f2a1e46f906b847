/// `/services/liquid/client.js`, an ES module for pages of any origin: the page's side of Liquid Auth, and that of a
/// wallet that is a page. What it says on the wire is what the SDKs say (protocols/liquid.md, 2 and 3): plain SDP as
/// descriptions, candidates as objects. It loads nothing else, so a page can keep its policy at `'self'`.
///
/// A socket that ends may be one whose session was revoked: the session is asked for at once, and where it is over the
/// connection to the other side is closed too, which no server could do.
enum LiquidClientScript {
    static let text = #"""
        /**
         * Events: `state` (read `state` and `reason`), `message` (`detail` is what the other side sent), `problem`
         * (`detail` is an error that does not end it).
         */
        export class LiquidClient extends EventTarget {
          /** @type {State} */ state = "new";
          /** @type {Reason | null} */ reason = null;
          /** The wallet's address, and the id of its passkey, once they are known. */
          wallet = ""; credId = "";
          #server; #role; #ice; #relayOnly;
          /** @type {Wire | null} */ #wire = null;
          /** @type {RTCPeerConnection | null} */ #peer = null;
          /** @type {RTCDataChannel | null} */ #channel = null;
          #pause = FIRST_PAUSE; #isLinked = false; #retry = 0; #again = 0; #deadline = 0; #acknowledgement = 0;
          #turn = Promise.resolve();

          /** @param {Options} [options] */
          constructor({ server = location.origin, requestId, role = "page", iceServers, relayOnly = false } = {}) {
            super();
            this.requestId = requestId ?? crypto.randomUUID();
            [this.#server, this.#role] = [new URL(server).origin, role];
            [this.#ice, this.#relayOnly] = [iceServers, relayOnly];
          }

          /** What the QR code shows. */
          get link() { return `liquid://${new URL(this.#server).host}/?requestId=${this.requestId}`; }

          /** The connection to the other side, for whoever wants its statistics. */
          get peer() { return this.#peer; }

          start() {
            if (this.state !== "new") return;
            if (this.#role === "page") this.#deadline = setTimeout(() => this.#end("expired"), LINK_LIFETIME);
            this.#connect();
          }

          /** @param {string | ArrayBuffer} data only while it is open */
          send(data) {
            if (this.state !== "open" || !this.#channel) throw new DOMException("nobody hears it", "InvalidStateError");
            // @ts-ignore: both are what it takes.
            this.#channel.send(data);
          }

          /** Ends this side. The session stays, until somebody logs out. */
          stop() { this.#end("stopped"); }

          // What the server says

          /** Asked first each time: a browser gets its cookie by an answer, and a session that was ended is told. */
          async #connect() {
            const isNew = this.state === "new";
            this.#become(isNew ? "connecting" : this.state === "open" ? "open" : "offline");
            try {
              const reply = await fetch(`${this.#server}/auth/session`, { credentials: "include", cache: "no-store" });
              if (this.state === "ended") return;
              if (!reply.ok) throw new Error(`status ${reply.status}`);
              const { user } = await reply.json();
              if (this.wallet && user?.wallet !== this.wallet) return this.#end("over");
            } catch { return this.#later(); }
            if (this.#isEnded()) return;
            const wire = new Wire(this.#server, text => this.#hear(text), () => {
              if (this.#wire !== wire || this.#isEnded()) return;
              this.#wire = null;
              const wasLinked = this.#isLinked;
              this.#isLinked = false;
              // At once: it may be that the session was ended, and then the other side is to hear no more of this one.
              if (wasLinked) this.#connect(); else this.#later();
            });
            this.#wire = wire;
          }

          #later() {
            if (this.#isEnded()) return;
            if (this.state !== "open") this.#become("offline");
            clearTimeout(this.#retry);
            this.#retry = setTimeout(() => this.#connect(), this.#pause * (1 + Math.random()) / 2);
            this.#pause = Math.min(this.#pause * 2, LONGEST_PAUSE);
          }

          /** @param {string} text a packet of Socket.IO, in the main namespace */
          #hear(text) {
            const [, type, id, json] = /^(\d)(?:\/,)?(\d*)(.*)$/s.exec(text) ?? [];
            switch (type) {
              case "0": return this.#link();
              case "1": case "4": return this.#wire?.close();
              case "2": {
                const [event, value] = JSON.parse(json);
                return this.#queue(() => this.#signal(event, value));
              }
              case "3": if (Number(id) === this.#acknowledgement) this.#linked(JSON.parse(json)[0]?.data);
            }
          }

          /** @param {string} event @param {unknown} value @param {number} [id] of the acknowledgement */
          #emit(event, value, id) { this.#wire?.send(`2${id ?? ""}${JSON.stringify([event, value])}`); }

          #link() {
            if (this.state !== "open") this.#become(this.wallet ? "linked" : "waiting");
            this.#acknowledgement += 1;
            this.#emit("link", { requestId: this.requestId }, this.#acknowledgement);
          }

          /** @param {{ wallet: string, credId: string, requestId: string | number }} [data] */
          #linked(data) {
            if (!data?.wallet || data.requestId !== this.requestId) return;
            clearTimeout(this.#deadline);
            [this.wallet, this.credId, this.#pause, this.#isLinked] = [data.wallet, data.credId, FIRST_PAUSE, true];
            if (this.state === "open") return;
            this.#become("linked");
            if (this.#role === "wallet") this.#queue(() => this.#offer());
          }

          // The other side

          /** One after the other: a candidate must not come before the description that it belongs to.
           *  @param {() => Promise<void> | void} step */
          #queue(step) {
            this.#turn = this.#turn.then(() => this.#isEnded() ? undefined : step()).catch(error => {
              this.dispatchEvent(new CustomEvent("problem", { detail: error }));
            });
          }

          /** @param {string} event @param {any} value */
          async #signal(event, value) {
            const isPage = this.#role === "page";
            const [offers, answers] = isPage ? ["offer", "answer"] : ["answer", "offer"];
            if (event === `${offers}-candidate`) return this.#peer?.addIceCandidate(value);
            if (event !== `${offers}-description`) return;
            const sdp = typeof value === "string" ? value : value?.sdp;
            if (!isPage) return this.#peer?.setRemoteDescription({ type: "answer", sdp });
            // Whoever offers again has lost the connection before.
            const peer = await this.#prepare(answers);
            peer.ondatachannel = ({ channel }) => this.#use(channel);
            await peer.setRemoteDescription({ type: "offer", sdp });
            const answer = await peer.createAnswer();
            this.#emit("answer-description", answer.sdp);
            await peer.setLocalDescription(answer);
          }

          async #offer() {
            if (this.state !== "linked") return;
            const peer = await this.#prepare("offer");
            this.#use(peer.createDataChannel("liquid"));
            const offer = await peer.createOffer();
            this.#emit("offer-description", offer.sdp);
            await peer.setLocalDescription(offer);
            // A page that was away has not heard it.
            clearTimeout(this.#again);
            this.#again = setTimeout(() => this.#queue(() => this.#offer()), UNANSWERED);
          }

          /** @param {string} own what candidates of this side are called */
          async #prepare(own) {
            this.#hangUp();
            const iceServers = this.#ice ?? await this.#servers();
            const iceTransportPolicy = this.#relayOnly ? "relay" : "all";
            const peer = this.#peer = new RTCPeerConnection({ iceServers, iceTransportPolicy });
            peer.onicecandidate = ({ candidate }) => {
              if (candidate?.candidate && peer === this.#peer) this.#emit(`${own}-candidate`, candidate.toJSON());
            };
            peer.onconnectionstatechange = () => {
              if (peer === this.#peer && ["failed", "closed"].includes(peer.connectionState)) this.#lost();
            };
            return peer;
          }

          /** STUN and TURN, for who is linked. Without them sides of one network still meet. */
          async #servers() {
            try {
              const address = `${this.#server}/services/liquid/ice`;
              const reply = await fetch(address, { credentials: "include", cache: "no-store" });
              if (!reply.ok) throw new Error(`no ICE servers: status ${reply.status}`);
              return (await reply.json()).iceServers;
            } catch (error) {
              this.dispatchEvent(new CustomEvent("problem", { detail: error }));
              return [];
            }
          }

          /** @param {RTCDataChannel} channel */
          #use(channel) {
            this.#channel = channel;
            channel.binaryType = "arraybuffer";
            channel.onopen = () => { if (channel === this.#channel) this.#become("open"); };
            channel.onmessage = ({ data }) => this.dispatchEvent(new CustomEvent("message", { detail: data }));
            channel.onclose = () => { if (channel === this.#channel) this.#lost(); };
            if (channel.readyState === "open") this.#become("open");
          }

          /** The wallet offers again; the page waits for that. */
          #lost() {
            this.#hangUp();
            if (this.#isEnded()) return;
            this.#become(this.#wire ? "linked" : "offline");
            if (this.#role === "wallet" && this.#wire) this.#queue(() => this.#offer());
          }

          #hangUp() {
            const [peer, channel] = [this.#peer, this.#channel];
            [this.#peer, this.#channel] = [null, null];
            channel?.close();
            peer?.close();
          }

          // States

          #isEnded() { return this.state === "ended"; }

          /** @param {Reason} reason */
          #end(reason) {
            if (this.#isEnded()) return;
            this.reason = reason;
            for (const timer of [this.#retry, this.#again, this.#deadline]) clearTimeout(timer);
            this.#become("ended");
            this.#hangUp();
            this.#wire?.close();
            this.#wire = null;
          }

          /** @param {State} state */
          #become(state) {
            if (state === this.state || this.#isEnded()) return;
            this.state = state;
            this.dispatchEvent(new Event("state"));
          }
        }

        """#

    static let module = LiquidWireScript.text + text
    static let path = "/services/liquid/client.js"
}
