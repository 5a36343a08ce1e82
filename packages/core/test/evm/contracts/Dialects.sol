// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// The same powers, or none, written as compilers and libraries make them hard to read.

contract Token {
    event Transfer(address indexed from, address indexed to, uint256 value);

    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;
    uint256 public totalSupply = 1e24;
    string public name = "Token";
    address internal boss = msg.sender;

    constructor() { balanceOf[msg.sender] = totalSupply; }

    function transfer(address to, uint256 value) public returns (bool) { _move(msg.sender, to, value); return true; }
    function approve(address to, uint256 value) public returns (bool) { allowance[msg.sender][to] = value; return true; }
    function transferFrom(address from, address to, uint256 value) public returns (bool) {
        allowance[from][msg.sender] -= value;
        _move(from, to, value);
        return true;
    }
    function _move(address from, address to, uint256 value) internal virtual {
        balanceOf[from] -= value;
        balanceOf[to] += value;
        emit Transfer(from, to, value);
    }
}
contract NamedPermit is Token { // hashes a string of unknown length before it asks who signed
    mapping(address => uint256) public nonces;
    function permit(address from, address to, uint256 value, uint8 v, bytes32 r, bytes32 s) external {
        bytes32 domain = keccak256(abi.encode(keccak256(bytes(name)), block.chainid, address(this)));
        bytes32 what = keccak256(abi.encode(from, to, value, nonces[from]++));
        address signer = ecrecover(keccak256(abi.encodePacked("\x19\x01", domain, what)), v, r, s);
        require(signer != address(0) && signer == from);
        allowance[signer][to] = value;
    }
}
contract SizedPermit is Token { // reads the answer where its size says: at nothing there is the hash that was signed
    mapping(address => uint256) public nonces;
    function permit(address from, address to, uint256 value, uint8 v, bytes32 r, bytes32 s) external {
        bytes32 what = keccak256(abi.encode(from, to, value, nonces[from]++, block.chainid, address(this)));
        assembly {
            let free := mload(0x40)
            mstore(0x00, what)
            mstore(0x20, and(0xff, v))
            mstore(0x40, r)
            mstore(0x60, s)
            pop(staticcall(gas(), 1, 0x00, 0x80, 0x20, 0x20))
            if iszero(eq(mload(returndatasize()), shr(96, shl(96, from)))) { revert(0x00, 0x00) }
            mstore(0x40, free)
            mstore(0x60, 0)
        }
        allowance[from][to] = value;
    }
}
contract UnaskedPermit is Token { // what stands at nothing is chosen by whoever calls
    function permit(address from, address to, uint256 value, address said, uint8 v, bytes32 r, bytes32 s) external {
        assembly {
            let free := mload(0x40)
            mstore(0x00, said)
            mstore(0x20, and(0xff, v))
            mstore(0x40, r)
            mstore(0x60, s)
            pop(staticcall(gas(), 1, 0x00, 0x80, 0x20, 0x20))
            if iszero(eq(mload(returndatasize()), shr(96, shl(96, from)))) { revert(0x00, 0x00) }
            mstore(0x40, free)
            mstore(0x60, 0)
        }
        allowance[from][to] = value;
    }
}
abstract contract Keyed is Token { // makes the key of an entry out of the memory where the signer is answered
    mapping(address => uint256) public nonces;
    function permit(address from, address to, uint256 value, uint8 v, bytes32 r, bytes32 s) external virtual;
    function _hash(address from, address to, uint256 value) internal returns (bytes32) {
        return keccak256(abi.encode(from, to, value, nonces[from]++, block.chainid, address(this)));
    }
}
contract KeyedPermit is Keyed { // an account is what was read where the size says, so that it was answered
    function permit(address from, address to, uint256 value, uint8 v, bytes32 r, bytes32 s) external override {
        bytes32 what = _hash(from, to, value);
        assembly {
            let free := mload(0x40)
            mstore(0x00, what)
            mstore(0x20, and(0xff, v))
            mstore(0x40, r)
            mstore(0x60, s)
            pop(staticcall(gas(), 1, 0x00, 0x80, 0x20, 0x20))
            if iszero(eq(mload(returndatasize()), shr(96, shl(96, from)))) { revert(0x00, 0x00) }
            mstore(0x00, mload(0x20))
            mstore(0x20, allowance.slot)
            mstore(0x20, keccak256(0x00, 0x40))
            mstore(0x00, shr(96, shl(96, to)))
            sstore(keccak256(0x00, 0x40), value)
            mstore(0x40, free)
            mstore(0x60, 0)
        }
    }
}
contract KeyedBySize is Keyed { // something was answered
    function permit(address from, address to, uint256 value, uint8 v, bytes32 r, bytes32 s) external override {
        bytes32 what = _hash(from, to, value);
        assembly {
            let free := mload(0x40)
            mstore(0x00, what)
            mstore(0x20, and(0xff, v))
            mstore(0x40, r)
            mstore(0x60, s)
            pop(staticcall(gas(), 1, 0x00, 0x80, 0x20, 0x20))
            if iszero(returndatasize()) { revert(0x00, 0x00) }
            mstore(0x00, mload(0x20))
            mstore(0x20, allowance.slot)
            mstore(0x20, keccak256(0x00, 0x40))
            mstore(0x00, shr(96, shl(96, to)))
            sstore(keccak256(0x00, 0x40), value)
            mstore(0x40, free)
            mstore(0x60, 0)
        }
    }
}
contract KeyedUnasked is Keyed { // where nobody signed, the key is what the caller put there
    function permit(address from, address to, uint256 value, uint8 v, bytes32 r, bytes32 s) external override {
        bytes32 what = _hash(from, to, value);
        assembly {
            let free := mload(0x40)
            mstore(0x00, what)
            mstore(0x20, from)
            mstore(0x40, r)
            mstore(0x60, s)
            pop(staticcall(gas(), 1, 0x00, 0x80, 0x20, 0x20))
            if iszero(eq(mload(0x20), shr(96, shl(96, from)))) { revert(0x00, v) }
            mstore(0x00, mload(0x20))
            mstore(0x20, allowance.slot)
            mstore(0x20, keccak256(0x00, 0x40))
            mstore(0x00, shr(96, shl(96, to)))
            sstore(keccak256(0x00, 0x40), value)
            mstore(0x40, free)
            mstore(0x60, 0)
        }
    }
}
contract KeyedByWord is Keyed { // a whole word may be the hash that was signed, where nobody signed it
    function permit(address from, address to, uint256 value, uint8 v, bytes32 r, bytes32 s) external override {
        bytes32 what = _hash(msg.sender, to, value);
        bytes32 said;
        assembly {
            said := calldataload(0x104)
            let free := mload(0x40)
            mstore(0x00, what)
            mstore(0x20, from)
            mstore(0x40, r)
            mstore(0x60, s)
            pop(staticcall(gas(), 1, 0x00, 0x80, 0x20, 0x20))
            if iszero(eq(mload(returndatasize()), said)) { revert(0x00, v) }
            mstore(0x00, mload(0x20))
            mstore(0x20, allowance.slot)
            mstore(0x20, keccak256(0x00, 0x40))
            mstore(0x00, shr(96, shl(96, to)))
            sstore(keccak256(0x00, 0x40), value)
            mstore(0x40, free)
            mstore(0x60, 0)
        }
    }
}
contract OverwrittenPermit is Token { // something else is put where the signer was answered, and read as the answer
    mapping(address => uint256) public nonces;
    function permit(address from, address to, uint256 value, uint8 v, bytes32 r, bytes32 s) external {
        bytes32 what = keccak256(abi.encode(from, to, value, nonces[from]++, block.chainid, address(this)));
        assembly {
            let free := mload(0x40)
            mstore(0x00, what)
            mstore(0x20, and(0xff, v))
            mstore(0x40, r)
            mstore(0x60, s)
            pop(staticcall(gas(), 1, 0x00, 0x80, 0x20, 0x20))
            mstore(0x20, from)
            if iszero(eq(mload(returndatasize()), shr(96, shl(96, from)))) { revert(0x00, 0x00) }
            mstore(0x40, free)
            mstore(0x60, 0)
        }
        allowance[from][to] = value;
    }
}
contract SizedBefore is Token { // how much an earlier signature was answered says nothing about this one
    mapping(address => uint256) public nonces;
    function permit(address from, address to, uint256 value, uint8 v, bytes32 r, bytes32 s) external {
        bytes32 what = keccak256(abi.encode(from, to, value, nonces[from]++, block.chainid, address(this)));
        assembly {
            let free := mload(0x40)
            mstore(0x00, what)
            mstore(0x20, and(0xff, v))
            mstore(0x40, r)
            mstore(0x60, s)
            pop(staticcall(gas(), 1, 0x00, 0x80, 0x80, 0x20))
            let size := returndatasize()
            mstore(0x20, from)
            pop(staticcall(gas(), 1, 0x00, 0x80, 0x20, 0x20))
            if iszero(eq(mload(size), shr(96, shl(96, from)))) { revert(0x00, 0x00) }
            mstore(0x40, free)
            mstore(0x60, 0)
        }
        allowance[from][to] = value;
    }
}
contract Shared is Token { // its counter is counted up by a function, whose first answer is a truth value
    function share(address[] memory to, uint256[] memory values) public {
        for (uint256 i = 0; i < to.length; i = next(i)) _move(msg.sender, to[i], values[i]);
    }
    function next(uint256 i) internal view returns (uint256) { require(i < 1e6 && boss != address(0)); return i + 1; }
}
contract Kept is Token { // an amount of an account's own that it may not send
    struct Keeping { uint256 amount; uint64 until; }
    mapping(address => Keeping) internal kept;
    function keep(address who, uint256 amount, uint64 until) external {
        require(msg.sender == boss);
        kept[who] = Keeping(amount, until);
    }
    function _move(address from, address to, uint256 value) internal override {
        if (block.timestamp < kept[from].until) require(balanceOf[from] >= kept[from].amount + value);
        super._move(from, to, value);
    }
}
contract KeptFee is Token { // a fee that grows with what is sent locks everything where nothing bounds it, which is not read
    mapping(address => uint256) internal fees;
    function setFee(address who, uint256 fee) external { require(msg.sender == boss && fee <= 100); fees[who] = fee; }
    function _move(address from, address to, uint256 value) internal override {
        require(balanceOf[from] >= value + value * fees[from] / 10_000);
        super._move(from, to, value);
    }
}
