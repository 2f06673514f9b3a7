/** Templates by semantic tokens: the darker, the more of a template's episodes met the token. */
import { ScrollArea, Text, Title } from "@mantine/core";

import type { Judgement } from "../api/types";
import { useWords } from "../words";

export function Heat({ ground: { met, unmet } }: { ground: Judgement["ground"] }) {
  const { t } = useWords();
  const tokens = [...new Set(Object.values(met).flatMap((found) => Object.keys(found)))].sort();
  const title = t("judging.ground");
  return (
    <section aria-label={title}>
      <Title order={4} fz="sm" mb={6}>
        {title}
      </Title>
      <Text fz="xs" c="dimmed" mb="xs">
        {t("judging.groundHint")}
      </Text>
      <ScrollArea.Autosize mah={520} type="auto" tabIndex={0}>
        <table className="heat" aria-label={title}>
          <thead>
            <tr>
              <th />
              {tokens.map((token) => (
                <th key={token} scope="col">
                  <span>{token}</span>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {Object.entries(met).map(([template, found]) => (
              <tr key={template}>
                <th scope="row">{template}</th>
                {tokens.map((token) => (
                  <td key={token} style={{ "--heat": `${(found[token] ?? 0) * 75}%` } as React.CSSProperties} title={`${template} · ${token}`}>
                    {figure(found[token])}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollArea.Autosize>
      {Object.entries(unmet).map(([name, missing]) => (
        <Text key={name} fz="xs" c="dimmed" mt={6}>
          {t("judging.unmet", { name, tokens: missing.join(", ") || t("word.none") })}
        </Text>
      ))}
    </section>
  );
}

/** A share of at most three signs; nothing where nothing was met. */
const figure = (share = 0): string => (share === 0 ? "" : share === 1 ? "1" : share.toFixed(2).replace("0.", "."));
