/** `/datasets/:number`: one frozen version and what it lists. */
import { useQuery } from "@tanstack/react-query";
import { useParams } from "react-router";

import { api } from "../api/client";
import type { Dataset } from "../api/types";
import { Hash } from "../components/badges";
import { Empty, Facts, Loaded, Page } from "../components/page";
import { Ago } from "../components/time";
import { TrajectoryTable } from "../components/trajectories";
import { useWords } from "../words";

export default function DatasetPage() {
  const { t, word } = useWords();
  const number = Number(useParams().number);
  const query = useQuery({
    queryKey: ["datasets", "one", number],
    queryFn: () => api.get<Dataset>(`/datasets/${number}`),
  });
  return (
    <Page title={t("datasets.heading", { n: number })}>
      <Loaded query={query}>
        {(dataset) => (
          <>
            <div className="panel" style={{ padding: 12 }}>
              <Facts
                facts={[
                  [t("word.reason"), word("datasets.reason", dataset.reason)],
                  [t("datasets.count"), dataset.count],
                  [t("datasets.added"), `+${dataset.added}`],
                  [t("datasets.manifest"), <Hash key="hash" value={dataset.manifest_hash} />],
                  [t("word.by"), dataset.created_by ?? "—"],
                  [t("word.when"), <Ago key="when" at={dataset.created_at} />],
                ]}
              />
            </div>
            <TrajectoryTable rows={dataset.entries} empty={<Empty title={t("trajectories.empty")} />} />
          </>
        )}
      </Loaded>
    </Page>
  );
}
