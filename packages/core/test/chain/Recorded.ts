/** Answers of public services in the shapes that they give, shortened; addresses and code are made up. */

export const sourcify = {
  exact: (code: string) => ({
    matchId: "3266227",
    creationMatch: "exact_match",
    runtimeMatch: "exact_match",
    verifiedAt: "2024-08-08T13:20:07Z",
    match: "exact_match",
    chainId: "1",
    address: "0x1111111111111111111111111111111111111111",
    runtimeBytecode: { onchainBytecode: code },
    deployment: {
      transactionHash: "0xb6ee9d528b336942dd70d3b41e2811be10a473776352009fd73f85604f5ed206",
      blockNumber: "21721660",
      transactionIndex: "0",
      deployer: "0x3d080421c9dd5fb387d6e3124f7e1c241ade9568"
    }
  }),
  unseen: {
    matchId: "3266230",
    creationMatch: null,
    runtimeMatch: "match",
    verifiedAt: "2024-08-08T13:20:07Z",
    match: "match",
    chainId: "1",
    address: "0x1111111111111111111111111111111111111111",
    deployment: { transactionHash: null, blockNumber: null, transactionIndex: null, deployer: null }
  },
  partial: {
    matchId: "3266228",
    creationMatch: null,
    runtimeMatch: "match",
    verifiedAt: "2024-08-08T13:20:07Z",
    match: "match",
    chainId: "1",
    address: "0x1111111111111111111111111111111111111111",
    runtimeBytecode: { onchainBytecode: null }
  },
  creationOnly: {
    matchId: "3266229",
    creationMatch: "exact_match",
    runtimeMatch: null,
    verifiedAt: "2024-08-08T13:20:07Z",
    match: "exact_match",
    chainId: "1",
    address: "0x1111111111111111111111111111111111111111"
  },
  none: {
    match: null,
    creationMatch: null,
    runtimeMatch: null,
    chainId: "1",
    address: "0x1111111111111111111111111111111111111111"
  },
  unsupported: {
    customCode: "unsupported_chain",
    message: "Chain 31337 not found",
    errorId: "5d9b2a4e-2f6f-4bb7-8a0b-0c6a2b1f0f11"
  },
  noRoute: { customCode: "route_not_found", message: "The requested path does not exist", errorId: "1" }
}

export const etherscan = {
  verified: {
    status: "1",
    message: "OK",
    result: [
      {
        SourceCode: "contract A {}",
        ABI: "[]",
        ContractName: "A",
        CompilerVersion: "v0.8.20+commit.a1b79de6",
        OptimizationUsed: "1",
        Runs: "200",
        ConstructorArguments: "",
        EVMVersion: "Default",
        Library: "",
        LicenseType: "MIT",
        Proxy: "0",
        Implementation: "",
        SwarmSource: "",
        SimilarMatch: ""
      }
    ]
  },
  unverified: {
    status: "1",
    message: "OK",
    result: [
      {
        SourceCode: "",
        ABI: "Contract source code not verified",
        ContractName: "",
        CompilerVersion: "",
        OptimizationUsed: "",
        Runs: "",
        ConstructorArguments: "",
        EVMVersion: "Default",
        Library: "",
        LicenseType: "Unknown",
        Proxy: "0",
        Implementation: "",
        SwarmSource: "",
        SimilarMatch: ""
      }
    ]
  },
  creation: (contractAddress: string, fields: object = {}) => ({
    status: "1",
    message: "OK",
    result: [
      {
        contractAddress: contractAddress.toLowerCase(),
        contractCreator: "0x3d080421c9dd5fb387d6e3124f7e1c241ade9568",
        txHash: "0xdce495a9261c4a2a5d4e879cfb55c060b4616a846d3425c441a9e31aa34c956f",
        blockNumber: "10720863",
        timestamp: "1598242563",
        contractFactory: "",
        creationBytecode: "0x602d3d8160093d39f3",
        ...fields
      }
    ]
  }),
  noCreation: { status: "0", message: "No data found", result: null },
  notOk: (result: string) => ({ status: "0", message: "NOTOK", result })
}

export const signatures = {
  found: {
    ok: true,
    result: {
      event: {},
      function: {
        "0xa9059cbb": [
          { name: "transfer(address,uint256)", filtered: false, hasVerifiedContract: true },
          { name: "many_msg_babbage(bytes1)", filtered: true, hasVerifiedContract: false }
        ],
        "0x70a08231": [{ name: "balanceOf(address)", filtered: false, hasVerifiedContract: true }],
        "0xdeadbeef": null
      }
    }
  },
  refused: { ok: false, error: "function must be a list of hex strings" }
}

export const fourByte = {
  none: { count: 0, next: null, previous: null, results: [] },
  page: (
    signatures: ReadonlyArray<readonly [id: number, name: string]>,
    hex_signature: string,
    next: string | null = null
  ) => ({
    count: next === null ? signatures.length : 185,
    next,
    previous: null,
    results: signatures.map(([id, text_signature]) => ({
      id,
      created_at: "2016-07-09T03:58:27.545013Z",
      text_signature,
      hex_signature,
      bytes_signature: "p 1"
    }))
  }),
  refused: { detail: "Invalid page." }
}

export const goplus = {
  token: (address: string, fields: object) => ({
    code: 1,
    message: "OK",
    result: {
      [address.toLowerCase()]: {
        buy_tax: "0",
        can_take_back_ownership: "0",
        cannot_buy: "0",
        creator_address: "0xb9aafe776d70b432b53f7ce0f3aa5d194c6b6005",
        dex: [{ name: "UniswapV2", liquidity: "28.67292092", pair: "0xc2d94E0F00B3deCB22DC98962B7274a2F05f2DED" }],
        external_call: "0",
        hidden_owner: "0",
        holder_count: "402",
        is_blacklisted: "0",
        is_honeypot: "0",
        is_in_dex: "1",
        is_mintable: "0",
        is_open_source: "1",
        is_proxy: "0",
        owner_change_balance: "0",
        sell_tax: "",
        slippage_modifiable: "0",
        token_name: "TNK",
        token_symbol: "TNK",
        transfer_pausable: "0",
        ...fields
      }
    }
  }),
  account: (fields: object) => ({
    code: 1,
    message: "ok",
    result: {
      cybercrime: "0",
      money_laundering: "0",
      number_of_malicious_contracts_created: "0",
      gas_abuse: "0",
      financial_crime: "0",
      darkweb_transactions: "0",
      reinit: "0",
      phishing_activities: "0",
      contract_address: "0",
      fake_kyc: "0",
      blacklist_doubt: "0",
      fake_standard_interface: "0",
      data_source: "",
      stealing_attack: "0",
      blackmail_activities: "0",
      sanctioned: "0",
      malicious_mining_activities: "0",
      mixer: "0",
      fake_token: "0",
      honeypot_related_address: "0",
      ...fields
    }
  }),
  code: (code: number, message: string) => ({ code, message, result: null })
}
