import {readFile} from 'node:fs/promises'
import {expect, test} from 'vitest'
import {renderRouteTable} from '../../scripts/route-table.js'
import {routeTable} from '../../src/client/route-table.js'
import {contract} from '../../src/contract/index.js'
import type {RouteSpec} from '../../src/contract/route.js'

test('the committed route table is what the contract gives', async () => {
  const committed = await readFile(new URL('../../src/client/route-table.ts', import.meta.url), 'utf8')
  expect(committed).toBe(renderRouteTable(contract))
})

test('the route table names every route of the contract with its method, path, stream and kind of body', () => {
  for (const [area, routes] of Object.entries<Record<string, RouteSpec>>(contract)) {
    for (const [name, {method, path, stream, upgrade, streamsBody}] of Object.entries(routes)) {
      expect(routeTable[area]?.[name]).toEqual({method, path, ...(upgrade !== undefined && {upgrade}), ...(stream && {stream}), ...(streamsBody && {streamsBody})})
    }
  }
})
