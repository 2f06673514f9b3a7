/** The frame around every page: where one can go, who one is, and whether policies may propose. */
import { ActionIcon, Alert, AppShell, Badge, Burger, Group, Menu, NavLink, Text, Tooltip, UnstyledButton, useMantineColorScheme } from "@mantine/core";
import { useDisclosure, useHotkeys } from "@mantine/hooks";
import { spotlight } from "@mantine/spotlight";
import { IconKeyboard, IconLanguage, IconLock, IconMoon, IconPlugConnectedX, IconSearch, IconSun, IconSunMoon, IconUserCircle } from "./icons";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Link, useLocation, useNavigate } from "react-router";

import { api } from "./api/client";
import type { ApprovalView, Home, HumanOnly, Listed, Me } from "./api/types";
import { useIsAtLeast, useVerb } from "./api/verbs";
import { useAsk } from "./components/ask";
import { KeysHelp } from "./components/KeysHelp";
import { Palette } from "./components/Palette";
import { useKeys } from "./keys";
import { useListsLink } from "./live/lists";
import { PLACES } from "./places";
import { useWords } from "./words";

export function Frame({ me, children }: { me: Me; children: ReactNode }) {
  const { t } = useWords();
  const [isOpen, { toggle, close }] = useDisclosure(false);
  const human = useQuery({ queryKey: ["human-only"], queryFn: () => api.get<HumanOnly>("/human-only") });
  useHotkeys([["mod+K", () => spotlight.open()]], []);
  return (
    <AppShell header={{ height: 44 }} navbar={{ width: 176, breakpoint: 1000, collapsed: { mobile: !isOpen } }}>
      <a href="#content" className="skip">
        {t("nav.skip")}
      </a>
      <AppShell.Header>
        <Group h="100%" px="sm" justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap">
            <Burger opened={isOpen} onClick={toggle} className="narrow-nav" size="sm" aria-label={t("nav.toggle")} />
            <UnstyledButton component={Link} to="/" aria-label={t("app.name")}>
              <Group gap={7} wrap="nowrap">
                <img src="/static/mark.svg" alt="" width={22} height={22} />
                <Text fw={700} fz="md">
                  {t("app.name")}
                </Text>
              </Group>
            </UnstyledButton>
          </Group>
          <HeadRight me={me} human={human.data} />
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p={6} component="nav" aria-label={t("nav.main")}>
        <Places onGo={close} />
      </AppShell.Navbar>
      <AppShell.Main id="content" tabIndex={-1}>
        {human.data?.on && (
          <Alert color="red" variant="filled" radius={0} py={6} icon={<IconLock size={16} />} role="status">
            {t("human.banner")} {human.data.reason}
          </Alert>
        )}
        {children}
      </AppShell.Main>
      <Palette />
      <KeysHelp />
      <GlobalKeys />
    </AppShell>
  );
}

function Places({ onGo }: { onGo: () => void }) {
  const { t } = useWords();
  const { pathname } = useLocation();
  const isReviewer = useIsAtLeast("reviewer");
  const home = useQuery({ queryKey: ["home"], queryFn: () => api.get<Home>("/home") });
  return PLACES.map(({ group, places }) => (
    <div key={group} role="group" aria-label={t(group)}>
      <Text fz={10.5} fw={600} c="dimmed" px={8} pt={8} pb={2} tt="uppercase" lts={0.4}>
        {t(group)}
      </Text>
      {places
        .filter(({ from }) => !from || isReviewer)
        .map(({ to, name, icon: PlaceIcon, count }) => {
          const isHere = to === "/" ? pathname === "/" : pathname.startsWith(to);
          const n = home.data && count ? count(home.data) : 0;
          return (
            <NavLink
              key={to}
              component={Link}
              to={to}
              onClick={onGo}
              active={isHere}
              aria-current={isHere ? "page" : undefined}
              label={t(name)}
              leftSection={<PlaceIcon size={16} stroke={1.7} aria-hidden />}
              rightSection={n > 0 ? <Badge size="xs" color={to === "/approvals" ? "yellow" : "gray"} autoContrast variant={to === "/approvals" ? "filled" : "light"}>{n}</Badge> : null}
              py={5}
              px={8}
              style={{ borderRadius: 4 }}
            />
          );
        })}
    </div>
  ));
}

function HeadRight({ me, human }: { me: Me; human: HumanOnly | undefined }) {
  const { t, word, lang, setLang } = useWords();
  const client = useQueryClient();
  const link = useListsLink();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const signOut = useVerb(() => api.post("/auth/sign-out"), {
    done: () => {
      client.clear();
      window.location.assign("/");
    },
  });
  return (
    <Group gap={4} wrap="nowrap">
      {link === "lost" && (
        <Badge color="red" variant="filled" leftSection={<IconPlugConnectedX size={12} />} role="status">
          {t("head.lost")}
        </Badge>
      )}
      {human && <HumanSwitch me={me} human={human} />}
      <Tooltip label={`${t("head.palette")} (Ctrl K)`}>
        <ActionIcon aria-label={t("head.palette")} onClick={() => spotlight.open()}>
          <IconSearch size={17} />
        </ActionIcon>
      </Tooltip>
      <Tooltip label={`${t("head.keys")} (?)`}>
        <ActionIcon aria-label={t("head.keys")} onClick={() => window.dispatchEvent(new Event("belay-keys"))}>
          <IconKeyboard size={17} />
        </ActionIcon>
      </Tooltip>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon aria-label={t("head.scheme")}>
            <IconSunMoon size={17} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {([["light", IconSun], ["dark", IconMoon], ["auto", IconSunMoon]] as const).map(([scheme, SchemeIcon]) => (
            <Menu.Item key={scheme} leftSection={<SchemeIcon size={15} />} fw={colorScheme === scheme ? 700 : 400} onClick={() => setColorScheme(scheme)}>
              {t(`head.scheme.${scheme}`)}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon aria-label={t("head.language")}>
            <IconLanguage size={17} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item fw={lang === "en" ? 700 : 400} onClick={() => setLang("en")}>
            English
          </Menu.Item>
          <Menu.Item fw={lang === "zh" ? 700 : 400} onClick={() => setLang("zh")} lang="zh-CN">
            中文
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Menu position="bottom-end">
        <Menu.Target>
          <UnstyledButton px={6} py={4} aria-label={t("head.account", { name: me.username })}>
            <Group gap={5} wrap="nowrap">
              <IconUserCircle size={18} aria-hidden />
              <Text fz="sm" visibleFrom="xs">
                {me.username}
              </Text>
            </Group>
          </UnstyledButton>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Label>{word("role", me.role)}</Menu.Label>
          <Menu.Item onClick={() => signOut.mutate(undefined)}>{t("head.signOut")}</Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </Group>
  );
}

function HumanSwitch({ me, human }: { me: Me; human: HumanOnly }) {
  const { t } = useWords();
  const ask = useAsk();
  const turn = useVerb((given: { on: boolean; reason: string }) => api.put<HumanOnly>("/human-only", given), {
    touches: ["human-only"],
  });
  if (me.role !== "admin") {
    return human.on ? (
      <Badge color="red" variant="filled" leftSection={<IconLock size={12} />}>
        {t("human.switch")}
      </Badge>
    ) : null;
  }
  async function change(): Promise<void> {
    const verb = t(human.on ? "human.turnOff" : "human.turnOn");
    const answer = await ask({
      title: verb,
      body: t(human.on ? "human.offBody" : "human.onBody"),
      verb,
      danger: !human.on,
      reason: "wanted",
    });
    if (answer) turn.mutate({ on: !human.on, reason: answer.reason });
  }
  return (
    <Tooltip label={t(human.on ? "human.on" : "human.off")}>
      <UnstyledButton role="switch" aria-checked={human.on} aria-label={t("human.switch")} onClick={() => void change()} px={4}>
        <Badge size="md" color={human.on ? "red" : "gray"} variant={human.on ? "filled" : "outline"} leftSection={<IconLock size={12} />} style={{ cursor: "pointer" }}>
          {t("human.switch")}
        </Badge>
      </UnstyledButton>
    </Tooltip>
  );
}

function GlobalKeys() {
  const { t } = useWords();
  const navigate = useNavigate();
  async function newest(): Promise<void> {
    const { items } = await api.get<Listed<ApprovalView>>("/approvals");
    const latest = items.toSorted((a, b) => b.asked_at.localeCompare(a.asked_at))[0];
    if (latest) void navigate(`/sessions/${latest.session_id}`);
  }
  useKeys([
    ...PLACES.flatMap(({ places }) => places)
      .filter((place) => place.key)
      .map((place) => ({
        key: place.key ?? "",
        label: t("keys.go", { where: t(place.name) }),
        run: () => void navigate(place.to),
        everywhere: true,
      })),
    { key: "n", label: t("keys.newest"), run: () => void newest(), everywhere: true },
  ]);
  return null;
}
