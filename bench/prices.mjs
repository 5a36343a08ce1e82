// What two providers charge for a call, by method. Only methods that an analysis sends are here.

// https://www.alchemy.com/docs/reference/compute-unit-costs, "EVM: Standard JSON-RPC Methods", in compute units.
const alchemy = new Map([
  ["eth_blockNumber", 10],
  ["eth_call", 26],
  ["eth_chainId", 0],
  ["eth_getBalance", 20],
  ["eth_getBlockByHash", 20],
  ["eth_getBlockByNumber", 20],
  ["eth_getCode", 20],
  ["eth_getLogs", 60],
  ["eth_getStorageAt", 20],
  ["eth_getTransactionCount", 20],
  ["eth_getTransactionReceipt", 20],
  ["eth_simulateV1", 40]
])

// https://docs.metamask.io/services/get-started/pricing/credit-cost (MetaMask/metamask-docs at 2562e51), in credits.
// What is not in its table, as eth_simulateV1, costs the default, 80.
const infura = new Map([
  ["eth_chainId", 5],
  ["eth_getLogs", 255]
])

/** What calls cost at each provider; NaN where a method has no listed price there. */
export const pricesOf = (methods) => {
  const sum = (priceOf) => methods.reduce((total, method) => total + priceOf(method), 0)
  return {
    alchemy: sum((method) => alchemy.get(method) ?? Number.NaN),
    infura: sum((method) => infura.get(method) ?? 80)
  }
}
