// Stands in for packages that CopilotKit could load and this page never asks for; vite.config.ts has the list.
export {};
