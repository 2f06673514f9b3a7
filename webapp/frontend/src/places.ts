/** Where one can go. */
import {
  IconAdjustments,
  IconBinaryTree2,
  IconChartLine,
  IconChecklist,
  IconDatabase,
  IconHandStop,
  IconHome,
  IconListDetails,
  IconRoute,
  IconServer2,
  IconSettings,
  IconTicket,
  type Icon,
} from "./icons";

import type { Home } from "./api/types";
import type { WordKey } from "./words";

export interface Place {
  to: string;
  name: WordKey;
  icon: Icon;
  key?: string;
  count?: (home: Home) => number;
  from?: "reviewer";
}

export const PLACES: { group: WordKey; places: Place[] }[] = [
  {
    group: "nav.work",
    places: [
      { to: "/", name: "nav.home", icon: IconHome },
      { to: "/tickets", name: "nav.tickets", icon: IconTicket, key: "g t", count: (home) => home.open_tickets },
      { to: "/approvals", name: "nav.approvals", icon: IconHandStop, key: "g a", count: (home) => home.waiting_approvals },
      { to: "/review", name: "nav.review", icon: IconChecklist, key: "g r", count: (home) => home.waiting_reviews },
    ],
  },
  {
    group: "nav.learning",
    places: [
      { to: "/trajectories", name: "nav.trajectories", icon: IconRoute },
      { to: "/datasets", name: "nav.datasets", icon: IconDatabase },
      { to: "/training", name: "nav.training", icon: IconChartLine },
      { to: "/policies", name: "nav.policies", icon: IconBinaryTree2, key: "g p" },
      { to: "/rollouts", name: "nav.rollouts", icon: IconAdjustments },
    ],
  },
  {
    group: "nav.system",
    places: [
      { to: "/environments", name: "nav.environments", icon: IconServer2 },
      { to: "/audit", name: "nav.audit", icon: IconListDetails, from: "reviewer" },
      { to: "/settings", name: "nav.settings", icon: IconSettings },
    ],
  },
];
