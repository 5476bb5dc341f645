/** What a client has to know of a route to call it. */
export interface ClientRoute {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** With `:name` for parameters. */
  readonly path: string
  readonly stream?: 'sse' | 'bytes'
  readonly upgrade?: 'websocket'
  /** It takes bytes in the place of JSON. */
  readonly streamsBody?: true
}
