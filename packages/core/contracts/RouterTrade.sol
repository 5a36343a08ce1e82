// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// @notice Runs the simulator as init code, as TradeSimulatorConstructor is run, with a router that it makes first: pools call
/// back whoever trades, and what is being constructed has no code to be called. `places` are where the router's address belongs in
/// the simulator's code and plan. The call returns what the simulator does.
contract RouterTrade {
    constructor(bytes memory router, bytes memory simulator, uint256[] memory places) payable {
        assembly {
            let made := create(0, add(router, 32), mload(router))
            let code := add(simulator, 32)
            for { let i := 1 } iszero(gt(i, mload(places))) { i := add(i, 1) } {
                mstore(add(code, mload(add(places, mul(i, 32)))), made)
            }
            let outcome := create(callvalue(), code, mload(simulator))
            let size := extcodesize(outcome)
            extcodecopy(outcome, 0, 0, size)
            return(0, size)
        }
    }
}
