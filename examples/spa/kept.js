// What this page keeps in the browser, in IndexedDB: keys can lie there without anybody being able to read them.

const opened = new Promise((resolve, reject) => {
  const asked = indexedDB.open("course-page", 1);
  asked.onupgradeneeded = () => asked.result.createObjectStore("kept");
  asked.onsuccess = () => resolve(asked.result);
  asked.onerror = () => reject(asked.error);
});

async function inStore(mode, work) {
  const transaction = (await opened).transaction("kept", mode);
  return new Promise((resolve, reject) => {
    const asked = work(transaction.objectStore("kept"));
    transaction.oncomplete = () => resolve(asked.result);
    transaction.onabort = () => reject(transaction.error);
  });
}

export const read = name => inStore("readonly", store => store.get(name));
export const keep = (name, value) => inStore("readwrite", store => store.put(value, name));
export const forget = name => inStore("readwrite", store => store.delete(name));
