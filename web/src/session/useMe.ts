import { useEffect } from "react";
import { getMe } from "../gateway/api";
import { useConnection } from "../shell/connection";
import { session } from "./tab";

/** Asks the gateway who one is, and again when it could not be reached. */
export function useMe() {
  const { epoch } = useConnection();
  useEffect(() => {
    const abort = new AbortController();
    getMe({ signal: abort.signal }).then(
      (me) => session.meet(me),
      () => {}, // that the gateway cannot be reached is found out with its agents
    );
    return () => abort.abort();
  }, [epoch]);
}
