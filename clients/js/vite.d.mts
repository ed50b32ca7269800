export declare const src: string;
export declare const fromSources: { alias: { find: RegExp; replacement: string }[]; dedupe: string[] };
