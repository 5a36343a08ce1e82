// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

abstract contract Forwarding {
    function target() internal view virtual returns (address);

    fallback() external payable {
        address code = target();
        assembly {
            calldatacopy(0, 0, calldatasize())
            let ok := delegatecall(gas(), code, 0, calldatasize(), 0, 0)
            returndatacopy(0, 0, returndatasize())
            switch ok
            case 0 { revert(0, returndatasize()) }
            default { return(0, returndatasize()) }
        }
    }
}

/// A variable of its own names the code; its keeper changes it and says nothing.
contract SilentVariable is Forwarding {
    address private keeper;
    address private code;

    function point(address to) external {
        require(msg.sender == keeper);
        code = to;
    }

    function target() internal view override returns (address) {
        return code;
    }
}

/// The slot of EIP-1967; its admin changes it without the event.
contract SilentSlot is Forwarding {
    bytes32 private constant SLOT = 0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc;
    bytes32 private constant ADMIN = 0xb53127684a568b3173ae13b9f8a6016e243e63b6e8ee1178d6a717850b5d6103;

    function point(address to) external {
        assembly {
            if iszero(eq(caller(), sload(ADMIN))) { revert(0, 0) }
            sstore(SLOT, to)
        }
    }

    function target() internal view override returns (address code) {
        assembly {
            code := sload(SLOT)
        }
    }
}

/// The same, and it says so.
contract TellingSlot is Forwarding {
    bytes32 private constant SLOT = 0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc;
    bytes32 private constant ADMIN = 0xb53127684a568b3173ae13b9f8a6016e243e63b6e8ee1178d6a717850b5d6103;

    event Upgraded(address indexed implementation);

    function point(address to) external {
        assembly {
            if iszero(eq(caller(), sload(ADMIN))) { revert(0, 0) }
            sstore(SLOT, to)
        }
        emit Upgraded(to);
    }

    function target() internal view override returns (address code) {
        assembly {
            code := sload(SLOT)
        }
    }
}
