import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { fromSources } from "../../clients/js/vite.mjs";

export default defineConfig({
  plugins: [react()],
  resolve: fromSources, // @agui-gateway/client of this checkout. Elsewhere it is installed, and this line is not there.
  server: { port: Number(process.env.PORT ?? 5173), fs: { allow: ["../.."] } },
});
