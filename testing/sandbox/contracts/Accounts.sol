// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// What an EIP-7702 account of the sandbox delegates to: a batch that only the account itself can start.
contract BatchDelegate {
    struct Call {
        address to;
        uint256 value;
        bytes data;
    }

    error NotSelf();

    function execute(Call[] calldata calls) external payable {
        if (msg.sender != address(this)) revert NotSelf();
        for (uint256 i; i < calls.length; i++) {
            (bool ok, bytes memory reason) = calls[i].to.call{value: calls[i].value}(calls[i].data);
            if (!ok) {
                assembly {
                    revert(add(reason, 32), mload(reason))
                }
            }
        }
    }

    receive() external payable {}
}

interface IModuleHost {
    function execTransactionFromModule(address to, uint256 value, bytes calldata data, uint8 operation)
        external
        returns (bool);
}

/// A Safe module: its keeper moves what the Safe holds without asking the Safe's owners.
contract KeeperModule {
    address public immutable keeper;

    error NotKeeper();

    constructor(address keeper_) {
        keeper = keeper_;
    }

    function run(IModuleHost safe, address to, uint256 value, bytes calldata data) external returns (bool) {
        if (msg.sender != keeper) revert NotKeeper();
        return safe.execTransactionFromModule(to, value, data, 0);
    }
}

/// A vault whose keeper can end it.
contract Destructible {
    address payable public immutable keeper;

    constructor(address payable keeper_) {
        keeper = keeper_;
    }

    function end() external {
        require(msg.sender == keeper);
        selfdestruct(keeper);
    }

    receive() external payable {}
}
