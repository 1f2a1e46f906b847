import Base

/// `/assets/watch.js`: the script of pages that wait. Such a page that waits names in `data-events` where it is told
/// that something changed, by server-sent events (WHATWG HTML, 9.2); then it is loaded again. So what a page shows is
/// made in one place, and without script a refresh every few seconds does the same.
///
/// A phone's browser lets go of connections while another app is in front, so coming back listens anew. A form that was
/// sent changes what is watched: loading the page again then would take the place of the form's answer.
public enum WatchScript {
    public static let text = """
        "use strict";
        (() => {
          const page = document.querySelector("[data-events]");
          if (!page) return;
          let source = null, misses = 0, timer = 0, isLeaving = false;
          const reload = () => { if (!isLeaving) location.reload(); };
          const rest = () => { clearTimeout(timer); if (source) source.close(); };
          const watch = () => {
            rest();
            if (isLeaving) return;
            const mine = source = new EventSource(page.dataset.events);
            mine.onopen = () => { misses = 0; };
            mine.addEventListener("state", () => { mine.close(); reload(); });
            mine.onerror = () => {
              if (mine !== source || mine.readyState !== EventSource.CLOSED) return;
              misses += 1;
              timer = setTimeout(misses > 3 ? reload : watch, 5000);
            };
          };
          document.addEventListener("visibilitychange", () => { if (!document.hidden) watch(); });
          document.addEventListener("submit", () => { isLeaving = true; rest(); });
          addEventListener("pageshow", event => { if (event.persisted) location.reload(); });
          watch();
        })();

        """

    static let address = "/assets/watch.js?v=\(Base64URL.encode(Digest.sha256(text).prefix(6)))"
}
