/** Who is signed in sees the frame and the page of the address; everybody else signs in. */
import { Center, Loader } from "@mantine/core";
import { lazy, Suspense } from "react";
import { Route, Routes } from "react-router";

import { Problem } from "./api/client";
import { useMe } from "./api/verbs";
import { Empty, Loaded } from "./components/page";
import { Frame } from "./Frame";
import { ListsProvider } from "./live/lists";
import { HomePage } from "./pages/HomePage";
import { SignInPage } from "./pages/SignInPage";
import { useWords } from "./words";

const ApprovalsPage = lazy(() => import("./pages/ApprovalsPage"));
const AuditPage = lazy(() => import("./pages/AuditPage"));
const DatasetPage = lazy(() => import("./pages/DatasetPage"));
const DatasetsPage = lazy(() => import("./pages/DatasetsPage"));
const EnvironmentsPage = lazy(() => import("./pages/EnvironmentsPage"));
const NewTicketPage = lazy(() => import("./pages/NewTicketPage"));
const PoliciesPage = lazy(() => import("./pages/PoliciesPage"));
const PolicyPage = lazy(() => import("./pages/PolicyPage"));
const ReviewPage = lazy(() => import("./pages/ReviewPage"));
const RolloutPage = lazy(() => import("./pages/RolloutPage"));
const RolloutsPage = lazy(() => import("./pages/RolloutsPage"));
const RunPage = lazy(() => import("./pages/RunPage"));
const SessionPage = lazy(() => import("./pages/SessionPage"));
const SettingsPage = lazy(() => import("./pages/SettingsPage"));
const TicketPage = lazy(() => import("./pages/TicketPage"));
const TicketsPage = lazy(() => import("./pages/TicketsPage"));
const TrainingPage = lazy(() => import("./pages/TrainingPage"));
const TrajectoriesPage = lazy(() => import("./pages/TrajectoriesPage"));
const TrajectoryPage = lazy(() => import("./pages/TrajectoryPage"));

function Waiting() {
  const { t } = useWords();
  return (
    <Center h="60vh">
      <Loader size="sm" aria-label={t("word.loading")} />
    </Center>
  );
}

function Nowhere() {
  const { t } = useWords();
  return <Empty title={t("problem.notFound")} />;
}

export function App() {
  const me = useMe();
  if (me.error instanceof Problem && (me.error.status === 401 || me.error.status === 403)) return <SignInPage />;
  return (
    <Loaded query={me}>
      {(person) => (
        <ListsProvider key={person.id}>
          <Frame me={person}>
            <Suspense fallback={<Waiting />}>
              <Routes>
                <Route path="/" element={<HomePage me={person} />} />
                <Route path="/tickets" element={<TicketsPage />} />
                <Route path="/tickets/new" element={<NewTicketPage />} />
                <Route path="/tickets/:id" element={<TicketPage />} />
                <Route path="/sessions/:id" element={<SessionPage />} />
                <Route path="/approvals" element={<ApprovalsPage me={person} />} />
                <Route path="/review" element={<ReviewPage me={person} />} />
                <Route path="/trajectories" element={<TrajectoriesPage />} />
                <Route path="/trajectories/:hash" element={<TrajectoryPage />} />
                <Route path="/datasets" element={<DatasetsPage />} />
                <Route path="/datasets/:number" element={<DatasetPage />} />
                <Route path="/training" element={<TrainingPage />} />
                <Route path="/training/:id" element={<RunPage />} />
                <Route path="/policies" element={<PoliciesPage />} />
                <Route path="/policies/:number" element={<PolicyPage />} />
                <Route path="/rollouts" element={<RolloutsPage />} />
                <Route path="/rollouts/:id" element={<RolloutPage />} />
                <Route path="/environments" element={<EnvironmentsPage />} />
                <Route path="/audit" element={<AuditPage />} />
                <Route path="/settings" element={<SettingsPage />} />
                <Route path="*" element={<Nowhere />} />
              </Routes>
            </Suspense>
          </Frame>
        </ListsProvider>
      )}
    </Loaded>
  );
}
