/** The one file that opens sockets: they reconnect by themselves and only ever tell. */

export type Link = "connecting" | "open" | "lost";

export interface Listener {
  message: (data: string | ArrayBuffer) => void;
  link: (link: Link) => void;
}

const FIRST_RETRY_MS = 300;
const LAST_RETRY_MS = 5000;

function address(path: string): string {
  const scheme = window.location.protocol === "https:" ? "wss" : "ws";
  return `${scheme}://${window.location.host}${path}`;
}

/** Listen on a path until the returned function is called. */
export function listen(path: string, listener: Listener): () => void {
  let socket: WebSocket | null = null;
  let timer = 0;
  let retryMs = FIRST_RETRY_MS;
  let closed = false;

  function open(): void {
    window.clearTimeout(timer);
    socket = new WebSocket(address(path));
    socket.binaryType = "arraybuffer";
    socket.onopen = () => {
      retryMs = FIRST_RETRY_MS;
      listener.link("open");
    };
    socket.onmessage = (event: MessageEvent<string | ArrayBuffer>) => listener.message(event.data);
    socket.onclose = () => {
      if (closed) return;
      listener.link("lost");
      timer = window.setTimeout(open, retryMs);
      retryMs = Math.min(retryMs * 2, LAST_RETRY_MS);
    };
  }

  function hurry(): void {
    if (socket?.readyState === WebSocket.CLOSED) open();
  }

  listener.link("connecting");
  open();
  window.addEventListener("online", hurry);
  return () => {
    closed = true;
    window.clearTimeout(timer);
    window.removeEventListener("online", hurry);
    socket?.close();
  };
}
