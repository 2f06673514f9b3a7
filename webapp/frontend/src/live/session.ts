/** A session as it is now: the snapshot from the API, kept current by folding events over it. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";

import { api } from "../api/client";
import type { SessionView } from "../api/types";
import { fold, type LiveEvent } from "./fold";
import { listen, type Link } from "./socket";

const CALM_MS = 120;

export function useSession(id: number) {
  const client = useQueryClient();
  const [link, setLink] = useState<Link>("connecting");
  const query = useQuery({
    queryKey: ["session", id],
    queryFn: async () => {
      const fresh = await api.get<SessionView>(`/sessions/${id}`);
      const known = client.getQueryData<SessionView>(["session", id]);
      // Events may have overtaken the snapshot on its way; only what is for this person alone is newer in it.
      return known && known.seq > fresh.seq ? { ...known, can: fresh.can } : fresh;
    },
  });

  useEffect(() => {
    const key = ["session", id];
    let timer = 0;
    const refetch = () => void client.invalidateQueries({ queryKey: key });
    // What this person may do is not in events (they are the same for all): ask again when the state moved.
    const askSoon = () => {
      window.clearTimeout(timer);
      timer = window.setTimeout(refetch, CALM_MS);
    };
    function onMessage(data: string | ArrayBuffer): void {
      const event = JSON.parse(String(data)) as LiveEvent | { kind: "hello"; seq: number };
      const view = client.getQueryData<SessionView>(key);
      if (!view) return refetch();
      if (event.kind === "hello") {
        if (event.seq > view.seq) refetch();
        return;
      }
      const next = fold(view, event);
      if (next === "gap") return refetch();
      client.setQueryData(key, next);
      if (event.kind === "session_changed" || event.kind === "approval_changed") askSoon();
    }
    const stop = listen(`/ws/sessions/${id}`, { message: onMessage, link: setLink });
    return () => {
      window.clearTimeout(timer);
      stop();
    };
  }, [client, id]);

  return { query, link };
}

/** Call back with each picture of the browser while the session is live. */
export function useFrames(id: number, isLive: boolean, onFrame: (jpeg: ArrayBuffer) => void): Link {
  const [link, setLink] = useState<Link>("connecting");
  useEffect(() => {
    if (!isLive) return undefined;
    return listen(`/ws/sessions/${id}/frames`, {
      message: (data) => {
        if (data instanceof ArrayBuffer) onFrame(data);
      },
      link: setLink,
    });
  }, [id, isLive, onFrame]);
  return link;
}
