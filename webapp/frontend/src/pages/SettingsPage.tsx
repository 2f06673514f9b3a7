/** `/settings`: people, one's own API tokens, the failure taxonomy; the tab lives in the address. */
import { Tabs } from "@mantine/core";
import { useSearchParams } from "react-router";

import { useIsAtLeast } from "../api/verbs";
import { Page } from "../components/page";
import { Labels } from "../settings/Labels";
import { People } from "../settings/People";
import { Tokens } from "../settings/Tokens";
import { useWords } from "../words";

export default function SettingsPage() {
  const { t } = useWords();
  const isAdmin = useIsAtLeast("admin");
  const [params, setParams] = useSearchParams();
  const tab = params.get("tab") ?? (isAdmin ? "people" : "tokens");
  return (
    <Page title={t("nav.settings")}>
      <Tabs value={tab} onChange={(value) => setParams({ tab: value ?? "tokens" }, { replace: true })} keepMounted={false}>
        <Tabs.List mb="sm">
          {isAdmin && <Tabs.Tab value="people">{t("settings.people")}</Tabs.Tab>}
          <Tabs.Tab value="tokens">{t("settings.tokens")}</Tabs.Tab>
          <Tabs.Tab value="taxonomy">{t("settings.taxonomy")}</Tabs.Tab>
        </Tabs.List>
        {isAdmin && (
          <Tabs.Panel value="people">
            <People />
          </Tabs.Panel>
        )}
        <Tabs.Panel value="tokens">
          <Tokens />
        </Tabs.Panel>
        <Tabs.Panel value="taxonomy">
          <Labels />
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}
