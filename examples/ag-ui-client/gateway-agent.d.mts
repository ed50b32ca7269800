import { HttpAgent, type HttpAgentConfig, type RunAgentInput } from "@ag-ui/client";

export interface GatewayAgentConfig extends HttpAgentConfig {
  /** The agent's URL: …/agents/{agent}, with its query if it has one. */
  url: string;
  /**
   * Milliseconds before each new try after a cut; each is shortened at random by up to half. Whatever arrives starts
   * them over. When they are used up the run fails, so [] never tries again. By default about 16 seconds in all.
   */
  backoff?: number[];
}

/**
 * An HttpAgent whose streams survive cut connections. `runAgent()` is joined again where it was left. `connectAgent()`
 * shows the thread as it stands and follows its live run, if there is one, to its end; it fails with status 404 if
 * the thread is unknown. Both resolve when the run ends, and subscribers are told each event once.
 */
export declare class GatewayAgent extends HttpAgent {
  constructor(config: GatewayAgentConfig);
  backoff: number[];
  /** Stops what runs on the thread, whoever started it; false if nothing did. */
  stop(): Promise<boolean>;
  /** The client's hook for `connectAgent()`, which is what applications call. */
  protected connect(input: RunAgentInput): ReturnType<HttpAgent["run"]>;
  clone(): GatewayAgent;
}
