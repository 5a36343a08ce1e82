// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

// Tokens that keep each balance in one word with something else.

abstract contract Words {
    mapping(address => uint256) internal _words;
    mapping(address => mapping(address => uint256)) internal _allowed;
    uint256 public totalSupply;
    address internal _key;
    constructor() { _key = msg.sender; totalSupply = 1e24; _credit(msg.sender, 1e24); }
    modifier onlyKey() { require(msg.sender == _key); _; }
    function balanceOf(address a) external view returns (uint256) { return _amount(a); }
    function allowance(address o, address s) external view returns (uint256) { return _allowed[o][s]; }
    function approve(address s, uint256 v) external returns (bool) { _allowed[msg.sender][s] = v; return true; }
    function transfer(address t, uint256 v) external returns (bool) { return _move(msg.sender, t, v); }
    function transferFrom(address f, address t, uint256 v) external returns (bool) {
        uint256 allowed = _allowed[f][msg.sender];
        require(allowed >= v);
        if (allowed != type(uint256).max) _allowed[f][msg.sender] = allowed - v;
        return _move(f, t, v);
    }
    function _amount(address a) internal view virtual returns (uint256) { return uint128(_words[a]); }
    function _debit(address f, uint256 v) internal virtual {
        uint256 b = _amount(f);
        require(b >= v);
        unchecked { _put(f, b - v); }
    }
    function _credit(address t, uint256 v) internal virtual {
        uint256 b = _amount(t);
        unchecked { _put(t, b + v); }
    }
    /// What does not fit runs over into the bits above.
    function _put(address a, uint256 v) internal virtual { _words[a] = (_words[a] >> 128 << 128) | v; }
    function _check(address f, address t, uint256 v) internal virtual {}
    function _move(address f, address t, uint256 v) internal virtual returns (bool) {
        _check(f, t, v);
        _debit(f, v);
        _credit(t, v);
        return true;
    }
}

contract BesideBits is Words {}

contract BesideTime is Words {
    function _put(address a, uint256 v) internal override {
        _words[a] = (_words[a] >> 192 << 192) | (block.timestamp << 128) | v;
    }
}

contract AboveBits is Words { // the balance is the upper half
    function _amount(address a) internal view override returns (uint256) { return _words[a] >> 128; }
    function _put(address a, uint256 v) internal override { _words[a] = uint256(uint128(_words[a])) | (v << 128); }
}

contract InStruct is Words { // as compilers pack it, checked
    struct Account { uint96 amount; uint64 since; bool frozen; }
    mapping(address => Account) internal _accounts;
    function sinceOf(address a) external view returns (uint64) { return _accounts[a].since; }
    function _amount(address a) internal view override returns (uint256) { return _accounts[a].amount; }
    function _debit(address f, uint256 v) internal override {
        _accounts[f].amount -= uint96(v);
        _accounts[f].since = uint64(block.timestamp);
    }
    function _credit(address t, uint256 v) internal override { _accounts[t].amount += uint96(v); }
    function _check(address, address, uint256 v) internal view virtual override { require(v <= type(uint96).max); }
}

contract Frozen is Words { // the highest bit shuts an account out
    function note(address a, uint256 on) external onlyKey { _words[a] = (_words[a] << 1 >> 1) | (on << 255); }
    function _check(address f, address, uint256) internal view override { require(_words[f] >> 255 == 0); }
}

contract FrozenInStruct is InStruct {
    function note(address a, bool on) external onlyKey { _accounts[a].frozen = on; }
    function _check(address f, address, uint256) internal view override { require(!_accounts[f].frozen); }
}

contract Limited is Words { // the upper half bounds what an account sends
    function note(address a, uint256 most) external onlyKey { _words[a] = uint256(uint128(_words[a])) | (most << 128); }
    function _check(address f, address, uint256 v) internal view override { require(_words[f] >> 128 == 0 || v <= _words[f] >> 128); }
}

contract StoppedByTime is BesideTime { // by the time that transfers write down there
    uint256 internal _wait;
    function note(uint256 wait) external onlyKey { _wait = wait; }
    function _check(address f, address, uint256) internal view override { require(block.timestamp >= uint64(_words[f] >> 128) + _wait); }
}

contract MintedBelow is Words { // the whole word grows, and the balance with it
    function note(address a, uint256 n) external onlyKey { _words[a] += n; }
}

contract MintedByBits is Words {
    function note(address a, uint256 n) external onlyKey { _words[a] |= n; }
}

contract MintedFromAbove is Words { // what stands above comes down
    function set(address a, uint256 n) external onlyKey { _words[a] = uint256(uint128(_words[a])) | (n << 128); }
    function note(address a) external onlyKey { _words[a] >>= 64; }
}

contract TakenFromAbove is Words { // what is given is taken off the other half
    function note(address f, address t, uint256 v) external onlyKey {
        uint256 other = _words[f] >> 128;
        require(other >= v && uint128(_words[t]) + v < 1 << 128);
        unchecked { _words[f] = uint256(uint128(_words[f])) | ((other - v) << 128); }
        unchecked { _words[t] = (_words[t] >> 128 << 128) | (uint256(uint128(_words[t])) + v); }
    }
}

contract MovedFromAbove is Words { // so do transfers
    function _debit(address f, uint256 v) internal override {
        uint256 other = _words[f] >> 128;
        require(other >= v);
        unchecked { _words[f] = uint256(uint128(_words[f])) | ((other - v) << 128); }
    }
    function _credit(address t, uint256 v) internal override {
        uint256 b = _amount(t);
        require(b + v < 1 << 128);
        unchecked { _put(t, b + v); }
    }
}

contract Elsewhere is Words { // the receiver only gets a note, the tokens go to the key
    uint256 internal _on;
    function note(uint256 on) external onlyKey { _on = on; }
    function _move(address f, address t, uint256 v) internal override returns (bool) {
        _debit(f, v);
        if (_on != 0) { _words[t] = uint256(uint128(_words[t])) | (block.timestamp << 128); t = address(0xdead); }
        _credit(t, v);
        return true;
    }
}

contract Drained is BesideTime { // every transfer takes something off the pool
    address internal _pool;
    constructor(address pool) { _pool = pool; }
    function _move(address f, address t, uint256 v) internal override returns (bool) {
        _debit(f, v);
        _credit(t, v);
        _debit(_pool, 1e18);
        _credit(_key, 1e18);
        return true;
    }
}

contract Taxed is BesideTime { // a switch takes 90 % of what is sent
    bool internal _on;
    function note(bool on) external onlyKey { _on = on; }
    function _move(address f, address t, uint256 v) internal override returns (bool) {
        _debit(f, v);
        if (_on) { _credit(_key, v * 9 / 10); v -= v * 9 / 10; }
        _credit(t, v);
        return true;
    }
}
