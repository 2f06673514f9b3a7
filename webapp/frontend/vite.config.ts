import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

// `BELAY_URL=http://127.0.0.1:8000 npm run dev` works against a running Belay.
const target = process.env.BELAY_URL ?? "http://127.0.0.1:8000";

export default defineConfig({
  base: "/static/",
  plugins: [react()],
  build: { target: "es2022", sourcemap: false, chunkSizeWarningLimit: 900, modulePreload: { polyfill: false } },
  server: {
    proxy: {
      "/api": { target },
      "/ws": { target, ws: true },
    },
  },
});
