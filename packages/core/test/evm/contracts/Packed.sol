// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// Writes one entry that Solady would key by a seed, or Solidity by a slot, each time with memory filled another way.
contract Packed {
    mapping(address account => uint256) public plain;

    function ordinary(address account) external {
        assembly {
            mstore(0x0c, 0x87a211a2)
            mstore(0x00, account)
            sstore(keccak256(0x0c, 0x20), 1)
        }
    }

    function joined(address account) external {
        assembly {
            mstore(0x0c, or(shl(96, account), 0x87a211a2))
            sstore(keccak256(0x0c, 0x20), 1)
        }
    }

    function pieced(address account) external {
        assembly {
            mstore(0x00, shl(96, account))
            mstore(0x1c, shl(224, 0x87a211a2))
            sstore(keccak256(0x00, 0x20), 1)
        }
    }

    function paired(address account, address other) external {
        assembly {
            mstore(0x20, other)
            mstore(0x0c, or(shl(96, account), 0x7f5e9f20))
            sstore(keccak256(0x0c, 0x34), 1)
        }
    }

    function pairedAlike(address account, address other) external {
        assembly {
            mstore(0x20, other)
            mstore(0x0c, 0x7f5e9f20)
            mstore(0x00, account)
            sstore(keccak256(0x0c, 0x34), 1)
        }
    }

    /// The entry of the mapping above.
    function disguised(address account) external {
        assembly {
            mstore(0x00, 0)
            mstore(0x20, 0)
            mstore(0x0c, shl(96, account))
            mstore8(0x3f, 0)
            sstore(keccak256(0x00, 0x40), 1)
        }
    }

    address private immutable service = msg.sender;
    bytes32 private constant prefix = keccak256("roles");

    /// The roles of an account, as Axelar's tokens keep them.
    function enter(address account) external { _set(account); }
    function enterService() external { _set(service); }
    function _set(address account) private {
        bytes32 place = keccak256(abi.encodePacked(prefix, account));
        assembly { sstore(place, 1) }
    }

    /// Part of an account only: it may be the entry of any.
    function cut(address account) external {
        assembly {
            mstore(0x00, account)
            mstore(0x20, shl(248, 1))
            sstore(keccak256(0x10, 0x11), 1)
        }
    }
}
