/** Hints about lists: what the server says has changed is fetched again. */
import { useQueryClient } from "@tanstack/react-query";
import { createContext, useContext, useEffect, useState, type ReactNode } from "react";

import { listen, type Link } from "./socket";

const TOUCHED: Record<string, string[]> = {
  tickets: ["tickets", "ticket", "sessions", "home"],
  approvals: ["approvals", "home"],
  review: ["review", "home", "trajectories"],
  training: ["training", "run", "policies", "evaluations", "datasets", "home"],
  rollouts: ["rollouts", "rollout", "policies", "home", "human-only"],
};
const CALM_MS = 150;

const LinkContext = createContext<Link>("connecting");

export function ListsProvider({ children }: { children: ReactNode }) {
  const client = useQueryClient();
  const [link, setLink] = useState<Link>("connecting");
  useEffect(() => {
    const due = new Set<string>();
    let timer = 0;
    function refetch(keys: Iterable<string>): void {
      for (const key of keys) void client.invalidateQueries({ queryKey: [key] });
    }
    function soon(topic: string): void {
      for (const key of TOUCHED[topic] ?? []) due.add(key);
      window.clearTimeout(timer);
      timer = window.setTimeout(() => {
        refetch(due);
        due.clear();
      }, CALM_MS);
    }
    let wasLost = false;
    const stop = listen("/ws/lists", {
      message: (data) => soon((JSON.parse(String(data)) as { topic: string }).topic),
      link: (next) => {
        setLink(next);
        if (next === "open" && wasLost) refetch(Object.values(TOUCHED).flat());
        wasLost = next === "lost";
      },
    });
    return () => {
      window.clearTimeout(timer);
      stop();
    };
  }, [client]);
  return <LinkContext.Provider value={link}>{children}</LinkContext.Provider>;
}

export const useListsLink = (): Link => useContext(LinkContext);
