/** Ask before what cannot be taken back: the button says what it will do, and to what. */
import { Button, Group, Modal, Stack, Text, Textarea } from "@mantine/core";
import { createContext, useContext, useRef, useState, type ReactNode } from "react";

import { useWords } from "../words";

interface Question {
  title: string;
  body?: string;
  verb: string;
  danger?: boolean;
  /** Ask for a reason too: "needed" refuses an empty one. */
  reason?: "needed" | "wanted";
}

type Ask = (question: Question) => Promise<{ reason: string } | null>;

const AskContext = createContext<Ask | null>(null);

export function AskProvider({ children }: { children: ReactNode }) {
  const { t } = useWords();
  const [question, setQuestion] = useState<Question | null>(null);
  const [isOpen, setIsOpen] = useState(false);
  const [reason, setReason] = useState("");
  const answerTo = useRef<(answer: { reason: string } | null) => void>(() => undefined);

  const ask: Ask = (next) => {
    setQuestion(next);
    setReason("");
    setIsOpen(true);
    return new Promise((resolve) => {
      answerTo.current = resolve;
    });
  };
  const answer = (yes: boolean) => {
    setIsOpen(false);
    answerTo.current(yes ? { reason: reason.trim() } : null);
  };
  const lacksReason = question?.reason === "needed" && reason.trim() === "";

  return (
    <AskContext.Provider value={ask}>
      {children}
      <Modal opened={isOpen} onClose={() => answer(false)} title={question?.title} closeButtonProps={{ "aria-label": t("do.close") }}>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            if (!lacksReason) answer(true);
          }}
        >
          <Stack gap="sm">
            {question?.body && <Text fz="sm">{question.body}</Text>}
            {question?.reason && (
              <Textarea
                label={t("word.reason")}
                value={reason}
                onChange={(event) => setReason(event.currentTarget.value)}
                required={question.reason === "needed"}
                autosize
                minRows={2}
                data-autofocus
                onKeyDown={(event) => {
                  if (event.key === "Enter" && !event.shiftKey && !event.nativeEvent.isComposing) {
                    event.preventDefault();
                    event.currentTarget.form?.requestSubmit();
                  }
                }}
              />
            )}
            <Group justify="flex-end" gap="xs">
              <Button variant="default" onClick={() => answer(false)}>
                {t("do.back")}
              </Button>
              <Button type="submit" color={question?.danger ? "red" : undefined} disabled={lacksReason} data-autofocus={question?.reason ? undefined : true}>
                {question?.verb}
              </Button>
            </Group>
          </Stack>
        </form>
      </Modal>
    </AskContext.Provider>
  );
}

export function useAsk(): Ask {
  const ask = useContext(AskContext);
  if (!ask) throw new Error("useAsk outside AskProvider");
  return ask;
}
