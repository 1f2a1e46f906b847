import Base

/// `/assets/liquid-demo.js`: what the demo page shows of `LiquidClientScript`. Words are the page's; whatever the other
/// side wrote is text.
enum LiquidDemoScript {
    static let text = #"""
        "use strict";
        (async () => {
          const page = document.querySelector("[data-liquid]");
          if (!page) return;
          const one = name => page.querySelector(`[data-${name}]`);
          const { LiquidClient } = await import(page.dataset.liquid);
          const client = new LiquidClient({
            requestId: page.dataset.request, relayOnly: page.dataset.way === "relay",
          });

          const show = () => {
            const name = client.state === "ended" ? client.reason : client.state;
            for (const line of page.querySelectorAll("[data-state]")) line.hidden = line.dataset.state !== name;
            for (const part of page.querySelectorAll("[data-when]")) {
              part.hidden = !part.dataset.when.split(" ").includes(client.state);
            }
            one("known").hidden = !client.wallet;
            if (client.wallet) one("wallet").textContent = client.wallet;
          };
          const note = (whose, text) => {
            const line = document.createElement("li"), who = document.createElement("span");
            const said = document.createElement("bdi");
            [who.className, who.textContent] = ["quiet", page.dataset[whose]];
            said.textContent = text.slice(0, 2000);
            line.append(who, " ", said);
            one("messages").append(line);
            while (one("messages").childElementCount > 100) one("messages").firstElementChild.remove();
          };
          const send = () => {
            const field = one("field");
            if (!field.value || client.state !== "open") return;
            client.send(field.value);
            note("own", field.value);
            field.value = "";
            field.focus();
          };

          client.addEventListener("state", show);
          client.addEventListener("message", ({ detail }) => {
            note("theirs", typeof detail === "string" ? detail : `${detail.byteLength} bytes`);
          });
          client.addEventListener("problem", ({ detail }) => console.info(String(detail)));
          one("send").addEventListener("click", send);
          one("field").addEventListener("keydown", event => { if (event.key === "Enter") send(); });
          addEventListener("pagehide", () => client.stop());
          addEventListener("pageshow", event => { if (event.persisted) location.reload(); });
          client.start();
          show();
        })();

        """#

    static let name = "liquid-demo.js"
    static let address = "/assets/\(name)?v=\(Base64URL.encode(Digest.sha256(text).prefix(6)))"
}
