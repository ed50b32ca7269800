// The Dojo's Playwright configuration, with the machine's browser and without videos.
import base from "./playwright.config";

export default {
  ...base,
  globalSetup: "./gateway.setup.ts",
  workers: Number(process.env.WORKERS ?? 1),
  fullyParallel: false,
  reporter: [["line"], ["json", { outputFile: process.env.RESULTS }]],
  outputDir: process.env.OUTPUT,
  use: {
    ...base.use,
    video: "off",
    screenshot: "only-on-failure",
    launchOptions: {
      executablePath: process.env.CHROMIUM,
      args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
    },
  },
};
