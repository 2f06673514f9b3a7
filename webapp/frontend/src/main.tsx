import "@mantine/core/styles.css";
import "@mantine/charts/styles.css";
import "@mantine/notifications/styles.css";
import "@mantine/spotlight/styles.css";
import "./app.css";

import { MantineProvider } from "@mantine/core";
import { Notifications } from "@mantine/notifications";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { BrowserRouter } from "react-router";

import { Problem } from "./api/client";
import { App } from "./App";
import { AskProvider } from "./components/ask";
import { KeysProvider } from "./keys";
import { cssVariables, theme } from "./theme";
import { WordsProvider } from "./words";

const client = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 2_000,
      // A refusal stays a refusal; only an unreachable server is asked again.
      retry: (count, problem) => count < 3 && problem instanceof Problem && (problem.status === 0 || problem.status >= 502),
    },
  },
});

const root = document.getElementById("root");
if (!root) throw new Error("index.html has no #root");

createRoot(root).render(
  <StrictMode>
    <MantineProvider theme={theme} cssVariablesResolver={cssVariables} defaultColorScheme="auto">
      <WordsProvider>
        <QueryClientProvider client={client}>
          <KeysProvider>
            <AskProvider>
              <Notifications position="bottom-right" />
              <BrowserRouter>
                <App />
              </BrowserRouter>
            </AskProvider>
          </KeysProvider>
        </QueryClientProvider>
      </WordsProvider>
    </MantineProvider>
  </StrictMode>,
);
