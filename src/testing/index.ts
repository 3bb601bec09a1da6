/** `pawl/testing`: what users need to try their own sagas against a provider that loses answers. */
export { type Provider, startProvider } from './fake-provider.ts';
export type { BookEntry, ProviderCall } from './provider/book.ts';
export type { ProviderOptions } from './provider/options.ts';
