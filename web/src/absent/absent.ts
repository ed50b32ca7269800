// Replaces packages that CopilotKit could load and this page does not use; vite.config.ts has the list.
export {};
