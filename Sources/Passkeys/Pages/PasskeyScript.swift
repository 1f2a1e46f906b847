import Base
import Pages

/// `/assets/passkey.js`: the one thing that no form can do, asking the browser for a passkey (WebAuthn, 5.1). The form
/// `data-passkey` names in `data-options` where its question comes from; what the authenticator says goes back as its
/// field `answer`, so whatever becomes of it is a page as always.
///
/// `login` also offers passkeys among what the browser fills in for the username (conditional UI), and asks anew before
/// its question is too old, or when it could not ask: six times, then the offer is taken back. It never asks anew while
/// the page is not in front, since a person may be answering the browser's own dialogue then; but a second after they
/// are back, which leaves an answer its time. Refusals of the server are not read here: the form is sent without an
/// answer, and the page says them. Browsers do without `parseRequestOptionsFromJSON` for some years yet, so base64url
/// is read by hand.
enum PasskeyScript {
    static let text = """
        "use strict";
        (() => {
          const form = document.querySelector("form[data-passkey]");
          if (!form) return;
          const kind = form.dataset.passkey, field = name => form.elements.namedItem(name);
          const note = name => { for (const line of form.querySelectorAll("[data-note]")) line.hidden = \
          line.dataset.note !== name; };
          const bytes = text => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), letter => \
          letter.charCodeAt(0));
          const text = buffer => btoa(String.fromCharCode(...new Uint8Array(buffer))).replaceAll("+", \
          "-").replaceAll("/", "_").replaceAll("=", "");
          const named = list => (list || []).map(entry => ({ ...entry, id: bytes(entry.id) }));
          let current = null, timer = 0, renewals = 0, isLeaving = false;

          const later = delay => { clearTimeout(timer); timer = setTimeout(renew, delay); };
          const back = () => later(1000);
          const rest = () => { clearTimeout(timer); removeEventListener("focus", back); };

          const question = async signal => {
            const body = new URLSearchParams();
            for (const name of ["form_token", "request", "return_to", "own", "attempt"]) {
              if (field(name) && field(name).value) body.set(name, field(name).value);
            }
            const reply = await fetch(form.dataset.options, { method: "POST", body, headers: { Accept: \
            "application/json" }, redirect: "error", signal });
            if (!reply.ok) return null;
            const told = await reply.json(), options = told.options;
            if (told.attempt) field("attempt").value = told.attempt;
            options.challenge = bytes(options.challenge);
            if (options.user) options.user.id = bytes(options.user.id);
            if (options.allowCredentials) options.allowCredentials = named(options.allowCredentials);
            if (options.excludeCredentials) options.excludeCredentials = named(options.excludeCredentials);
            return options;
          };

          const written = credential => {
            const parts = credential.response, response = {};
            for (const name of ["clientDataJSON", "attestationObject", "authenticatorData", "signature", \
            "userHandle"]) {
              if (parts[name]?.byteLength) response[name] = text(parts[name]);
            }
            if (parts.getTransports) response.transports = parts.getTransports();
            const id = text(credential.rawId), { credProps } = credential.getClientExtensionResults();
            return JSON.stringify({ id, rawId: id, type: credential.type, response, clientExtensionResults: \
            credProps ? { credProps } : {} });
          };

          const send = answer => {
            isLeaving = true;
            field("answer").value = answer;
            form.submit();
          };

          const ask = async isOffer => {
            if (current) current.abort();
            rest();
            const mine = current = new AbortController(), signal = mine.signal;
            try {
              const publicKey = await question(signal);
              if (mine !== current) return;
              if (!publicKey) {
                if (isOffer) later(5000 * (renewals + 1)); else send("");
                return;
              }
              if (isOffer) later(publicKey.timeout * 0.8);
              const credential = kind === "create" ? await navigator.credentials.create({ publicKey, signal })
                : await navigator.credentials.get(isOffer ? { publicKey, signal, mediation: "conditional" } : { \
                publicKey, signal });
              if (mine === current) send(written(credential));
            } catch (problem) {
              if (mine !== current) return;
              if (isOffer) return later(5000 * (renewals + 1));
              const notes = { NotAllowedError: "cancelled", AbortError: "cancelled", InvalidStateError: "exists", \
              NotSupportedError: "unsupported" };
              note(notes[problem.name] || "failed");
              offer();
            }
          };

          const renew = () => {
            if (isLeaving) return;
            if (document.hidden || !document.hasFocus()) return addEventListener("focus", back, { once: true });
            if (renewals < 6) {
              renewals += 1;
              return ask(true);
            }
            if (current) current.abort();
            current = null;
          };

          const offer = async () => {
            if (kind !== "login" || !window.PublicKeyCredential || \
            !PublicKeyCredential.isConditionalMediationAvailable) return;
            const before = current;
            if (await PublicKeyCredential.isConditionalMediationAvailable() && before === current && !isLeaving) \
            ask(true);
          };

          form.addEventListener("submit", event => {
            event.preventDefault();
            note("");
            if (window.PublicKeyCredential) ask(false); else note("unsupported");
          });
          addEventListener("pageshow", event => { if (event.persisted) location.reload(); });
          if (!window.PublicKeyCredential && kind !== "login") note("unsupported");
          offer();
        })();

        """

    static let address = "/assets/passkey.js?v=\(Base64URL.encode(Digest.sha256(text).prefix(6)))"
}
