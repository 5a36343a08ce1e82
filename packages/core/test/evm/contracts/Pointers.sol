// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

// Functions that put a number into memory at a place that they work out, and then write an entry of their caller, whose key is
// at the beginning of memory: where the place may wrap or go before the heap, it may be the entry of somebody else.

abstract contract Kept { mapping(address => uint256) public kept; }

contract EitherText is Kept { // behind one text or another, both of them short
    function set(bytes calldata one, bytes calldata other, bool second, uint256 v) external {
        assembly {
            let p := 0x80
            switch second
            case 0 { p := add(p, one.length) }
            default { p := add(p, other.length) }
            mstore(0x00, caller()) mstore(0x20, kept.slot)
            mstore(p, v)
            sstore(keccak256(0x00, 0x40), v)
        }
    }
}

contract EitherPlace is Kept { // of one way nothing is known
    function set(uint256 length, bool second, uint256 v) external {
        assembly {
            let p := 0x80
            if second { p := add(p, length) }
            mstore(0x00, caller()) mstore(0x20, kept.slot)
            mstore(p, v)
            sstore(keccak256(0x00, 0x40), v)
        }
    }
}

contract CheckedLater is Kept { // what is added last is short, what was added before is not
    function set(uint256 length, uint256 shorter, bool second, uint256 v) external {
        assembly {
            let p := 0x80
            if second { p := add(p, length) }
            if gt(shorter, 0xffffffff) { revert(0, 0) }
            mstore(0x00, caller()) mstore(0x20, kept.slot)
            mstore(add(p, shorter), v)
            sstore(keccak256(0x00, 0x40), v)
        }
    }
}

contract Striding is Kept { // by steps of any length
    function set(uint256 step, uint256 n, uint256 v) external {
        assembly {
            mstore(0x00, caller()) mstore(0x20, kept.slot)
            let p := 0x80
            for { let i := 0 } lt(i, n) { i := add(i, 1) } { mstore(p, v) p := add(p, step) }
            sstore(keccak256(0x00, 0x40), v)
        }
    }
}

contract StridingUnwritten is Kept {
    function set(uint256 step, uint256 n, uint256 v) external {
        assembly {
            mstore(0x00, caller()) mstore(0x20, kept.slot)
            let p := 0x80
            for { let i := 0 } lt(i, n) { i := add(i, 1) } { p := add(p, step) }
            mstore(p, v)
            sstore(keccak256(0x00, 0x40), v)
        }
    }
}

contract Walking is Kept { // by words
    function set(uint256 n, uint256 v) external {
        assembly {
            mstore(0x00, caller()) mstore(0x20, kept.slot)
            let p := 0x80
            for { let i := 0 } lt(i, n) { i := add(i, 1) } { mstore(p, v) p := add(p, 0x20) }
            mstore(p, v)
            sstore(keccak256(0x00, 0x40), v)
        }
    }
}

contract GoingBack is Kept { // as often as is said
    function set(uint256 n, uint256 v) external {
        assembly {
            mstore(0x00, caller()) mstore(0x20, kept.slot)
            let p := 0x100
            for { let i := 0 } lt(i, n) { i := add(i, 1) } { mstore(p, v) p := sub(p, 0x20) }
            sstore(keccak256(0x00, 0x40), v)
        }
    }
}

contract GoingBackOnce is Kept { // by what a text takes of its last word
    function set(bytes calldata one, bool second, uint256 v) external {
        assembly {
            mstore(0x00, caller()) mstore(0x20, kept.slot)
            let p := add(0x100, one.length)
            if second { p := sub(p, and(one.length, 0x1f)) }
            mstore(p, v)
            sstore(keccak256(0x00, 0x40), v)
        }
    }
}

contract GoingBelow is Kept { // by more than it is behind where the heap begins
    function set(bytes calldata one, bool second, uint256 v) external {
        assembly {
            mstore(0x00, caller()) mstore(0x20, kept.slot)
            let p := add(0x80, one.length)
            if second { p := sub(p, and(v, 0xff)) }
            mstore(p, v)
            sstore(keccak256(0x00, 0x40), v)
        }
    }
}

contract EitherOfTwoWays is Kept { // where one of them comes from nothing is known of its length
    function set(bytes calldata one, uint256 length, bool second, uint256 v) external {
        assembly {
            let p := add(0x80, one.length)
            if second { p := add(0x80, length) }
            mstore(0x00, caller()) mstore(0x20, kept.slot)
            mstore(p, v)
            sstore(keccak256(0x00, 0x40), v)
        }
    }
}

contract Doubling is Kept { // twice as far each time, which wraps
    function set(bytes calldata one, uint256 n, uint256 v) external {
        assembly {
            mstore(0x00, caller()) mstore(0x20, kept.slot)
            let p := add(0x80, one.length)
            for { let i := 0 } lt(i, n) { i := add(i, 1) } { p := add(p, p) }
            mstore(p, v)
            sstore(keccak256(0x00, 0x40), v)
        }
    }
}
