// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

// Tokens that take the end of the calldata for their sender, where their caller is trusted to put him there (EIP-2771).

abstract contract Base {
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;
    uint256 public totalSupply = 1e24;
    address public owner = msg.sender;
    event Transfer(address indexed from, address indexed to, uint256 value);
    constructor() { balanceOf[msg.sender] = 1e24; }
    function _msgSender() internal view virtual returns (address);
    function _last() internal pure returns (address sender) {
        assembly { sender := shr(96, calldataload(sub(calldatasize(), 20))) }
    }
    modifier onlyOwner() { require(_msgSender() == owner); _; }
    function approve(address s, uint256 v) external returns (bool) { allowance[_msgSender()][s] = v; return true; }
    function transfer(address t, uint256 v) external virtual returns (bool) { _move(_msgSender(), t, v); return true; }
    function transferFrom(address f, address t, uint256 v) external returns (bool) { allowance[f][_msgSender()] -= v; _move(f, t, v); return true; }
    function mint(address t, uint256 v) external virtual onlyOwner { _make(t, v); }
    function _make(address t, uint256 v) internal {
        totalSupply += v;
        balanceOf[t] += v;
        emit Transfer(address(0), t, v);
    }
    function _move(address f, address t, uint256 v) internal {
        balanceOf[f] -= v;
        balanceOf[t] += v;
        emit Transfer(f, t, v);
    }
}

address constant key = 0x00000000000000000000000000000000DeaDBeef;

contract OneForwarder is Base { // an address in the code, as OpenZeppelin 5 asks for it
    function _msgSender() internal view override returns (address) {
        uint256 size = msg.data.length;
        return msg.sender == key && size >= 20 ? address(bytes20(msg.data[size - 20:])) : msg.sender;
    }
}

contract ManyForwarders is Base { // those on a list that nobody is put on any more
    mapping(address => bool) private _trusted;
    constructor(address[] memory all) { for (uint256 i; i < all.length; ++i) _trusted[all[i]] = true; }
    function isTrustedForwarder(address who) public view returns (bool) { return _trusted[who]; }
    function _msgSender() internal view override returns (address) { return isTrustedForwarder(msg.sender) ? _last() : msg.sender; }
}

contract SetForwarder is Base { // whom the owner says
    address public trustedForwarder;
    function setTrustedForwarder(address who) external onlyOwner { trustedForwarder = who; }
    function _msgSender() internal view override returns (address) { return msg.sender == trustedForwarder ? _last() : msg.sender; }
}

contract ListedForwarder is Base { // whom the owner puts on a list
    mapping(address => bool) public trusted;
    function trust(address who) external onlyOwner { trusted[who] = true; }
    function _msgSender() internal view override returns (address) { return trusted[msg.sender] ? _last() : msg.sender; }
}

contract AnyForwarder is Base { // whoever says that he is one
    mapping(address => bool) public trusted;
    function register() external { trusted[msg.sender] = true; }
    function _msgSender() internal view override returns (address) { return trusted[msg.sender] ? _last() : msg.sender; }
}

contract Everybody is Base { // nothing is asked of whoever says who sends
    function _msgSender() internal pure override returns (address) { return _last(); }
}

contract AllButOne is Base { // only one address is not believed
    function _msgSender() internal view override returns (address) { return msg.sender != key ? _last() : msg.sender; }
}

contract OpenForwarder is Base { // an address in the code, and everybody once a switch is on
    bool public open;
    function setOpen(bool on) external { require(msg.sender == owner); open = on; }
    function _msgSender() internal view override returns (address) { return msg.sender == key || open ? _last() : msg.sender; }
}

contract Mirror is Base { // whoever names himself in the calldata
    function _msgSender() internal pure override returns (address) { return msg_() == _last() ? _last() : msg_(); }
    function msg_() private pure returns (address who) { assembly { who := calldataload(4) } }
}

contract MakingForwarder is Base { // the forwarder makes tokens on the side
    function _msgSender() internal view override returns (address) { return msg.sender == key ? _last() : msg.sender; }
    function mint(address, uint256) external pure override { revert(); }
    function transfer(address t, uint256 v) external override returns (bool) {
        address f = _msgSender();
        if (msg.sender == key) _make(t, v);
        else _move(f, t, v);
        return true;
    }
}

contract Itself is Base { // the contract itself, that nothing makes call itself
    function _msgSender() internal view override returns (address sender) {
        if (msg.sender != address(this)) return msg.sender;
        bytes memory all = msg.data;
        uint256 size = msg.data.length;
        assembly { sender := and(mload(add(all, size)), 0xffffffffffffffffffffffffffffffffffffffff) }
    }
}

contract Paying is Itself { // the same, which calls another contract by a function that it has none of
    function settle(address pool) external { (bool ok,) = pool.call(abi.encodeWithSignature("sync()")); require(ok); }
}

contract Calling is Itself { // the same, which calls whatever it is told
    function exec(address target, bytes calldata data) external onlyOwner { (bool ok,) = target.call(data); require(ok); }
}

contract Written is Base { // what is read is not what was copied
    address public victim;
    function _msgSender() internal view override returns (address sender) {
        if (msg.sender != address(this)) return msg.sender;
        bytes memory all = msg.data;
        uint256 size = msg.data.length;
        address who = victim;
        assembly {
            mstore(add(all, size), who)
            sender := and(mload(add(all, size)), 0xffffffffffffffffffffffffffffffffffffffff)
        }
    }
}

contract Elsewhere is Base { // what is read is not the end of the calldata
    function _msgSender() internal view override returns (address sender) {
        if (msg.sender != key) return msg.sender;
        assembly { sender := shr(96, calldataload(sub(calldatasize(), 52))) }
    }
}

contract Collector is Base { // one address alone is told whose tokens to take
    function _msgSender() internal view override returns (address) { return msg.sender; }
    function collect() external {
        require(msg.sender == key);
        address from = _last();
        balanceOf[msg.sender] += balanceOf[from];
        balanceOf[from] = 0;
    }
}

interface Token { function transferFrom(address from, address to, uint256 value) external returns (bool); }

contract Puller { // takes the sender's tokens
    function pull(Token token, uint256 value) external {
        address sender = msg.sender;
        if (sender == key) assembly { sender := shr(96, calldataload(sub(calldatasize(), 20))) }
        token.transferFrom(sender, address(this), value);
    }
}
