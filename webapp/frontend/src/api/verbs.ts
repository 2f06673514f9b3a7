/** Reading and writing from a page: problems become notices, lists hear of changes. */
import { notifications } from "@mantine/notifications";
import { useMutation, useQuery, useQueryClient, type UseMutationResult } from "@tanstack/react-query";

import { useWords, type Words } from "../words";
import { api, Problem } from "./client";
import type { Me } from "./types";

export function useMe() {
  return useQuery({ queryKey: ["me"], queryFn: () => api.get<Me>("/me"), retry: false, staleTime: 60_000 });
}

/** Whether the signed-in person's role includes this one. */
export function useIsAtLeast(role: Me["role"]): boolean {
  const order = ["operator", "reviewer", "admin"];
  const { data } = useMe();
  return data !== undefined && order.indexOf(data.role) >= order.indexOf(role);
}

/** What a refusal says to a person. */
export function sentence(problem: unknown, { t, word, lang }: Words): string {
  if (!(problem instanceof Problem)) return String(problem);
  const { body } = problem;
  if (problem.status === 0) return t("problem.unreachable");
  if (problem.status === 409 && body.decided_by) {
    return t("problem.lost", {
      who: body.decided_by,
      decision: word("decision", body.decision ?? ""),
      when: body.decided_at ? new Date(body.decided_at).toLocaleTimeString(lang) : "",
    });
  }
  return problem.message;
}

export function notifyProblem(problem: unknown, words: Words): void {
  notifications.show({
    color: "red",
    title: words.t("problem.title"),
    message: sentence(problem, words),
    autoClose: 8000,
    withBorder: true,
  });
}

interface VerbOptions<Given, Answer> {
  /** Query keys (first parts) that may have changed. */
  touches?: string[];
  done?: (answer: Answer, given: Given) => void;
  /** Return true where the page shows the problem itself. */
  refused?: (problem: unknown) => boolean;
}

/** A command as a mutation. The page changes when the server's answer or event arrives, not before. */
export function useVerb<Given, Answer = unknown>(
  run: (given: Given) => Promise<Answer>,
  { touches = [], done, refused }: VerbOptions<Given, Answer> = {},
): UseMutationResult<Answer, unknown, Given> {
  const client = useQueryClient();
  const words = useWords();
  const touch = () => Promise.all(touches.map((key) => client.invalidateQueries({ queryKey: [key] })));
  return useMutation({
    mutationFn: run,
    onSuccess: (answer, given) => {
      void touch();
      done?.(answer, given);
    },
    onError: (problem) => {
      void touch();
      if (!refused?.(problem)) notifyProblem(problem, words);
    },
  });
}
