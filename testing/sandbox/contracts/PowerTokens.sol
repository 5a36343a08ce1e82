// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {ERC20Capped} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Capped.sol";
import {ERC20Upgradeable} from "@openzeppelin/contracts-upgradeable/token/ERC20/ERC20Upgradeable.sol";
import {PausableUpgradeable} from "@openzeppelin/contracts-upgradeable/utils/PausableUpgradeable.sol";
import {OwnableUpgradeable} from "@openzeppelin/contracts-upgradeable/access/OwnableUpgradeable.sol";
import {AccessControl} from "@openzeppelin/contracts/access/AccessControl.sol";
import {AccessManaged} from "@openzeppelin/contracts/access/manager/AccessManaged.sol";
import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {BareToken} from "./BareToken.sol";
import {BareOwnedToken, OwnedToken} from "./OwnedTokens.sol";

/// The owner sets a tax, of 5 % at most.
contract CappedTaxToken is OwnedToken {
    uint256 public taxBps;

    constructor(string memory name_, string memory symbol_, uint256 supply, address owner_)
        OwnedToken(name_, symbol_, supply, owner_)
    {}

    function setTax(uint256 taxBps_) external onlyOwner {
        require(taxBps_ <= 500, "over 5 %");
        taxBps = taxBps_;
    }

    function _update(address from, address to, uint256 value) internal override {
        uint256 tax = from == address(0) ? 0 : (value * taxBps) / 10_000;
        if (tax > 0) super._update(from, owner(), tax);
        super._update(from, to, value - tax);
    }
}

/// The owner sets the tax of each holder, up to everything.
contract PersonalTaxToken is OwnedToken {
    mapping(address account => uint256 bps) public taxOf;

    constructor(string memory name_, string memory symbol_, uint256 supply, address owner_)
        OwnedToken(name_, symbol_, supply, owner_)
    {}

    function setTaxOf(address account, uint256 bps) external onlyOwner {
        taxOf[account] = bps;
    }

    function _update(address from, address to, uint256 value) internal override {
        uint256 tax = (value * taxOf[from]) / 10_000;
        if (tax > 0) super._update(from, owner(), tax);
        super._update(from, to, value - tax);
    }
}

/// The owner mints, up to twice the first supply.
contract CappedMintToken is ERC20Capped, Ownable {
    constructor(string memory name_, string memory symbol_, uint256 supply, address owner_)
        ERC20(name_, symbol_)
        ERC20Capped(2 * supply)
        Ownable(owner_)
    {
        _mint(msg.sender, supply);
    }

    function mint(address to, uint256 amount) external onlyOwner {
        _mint(to, amount);
    }
}

/// The owner minted until he finished it, which nobody undoes.
contract MintFinishedToken is OwnedToken {
    bool public mintingFinished;

    constructor(string memory name_, string memory symbol_, uint256 supply, address owner_)
        OwnedToken(name_, symbol_, supply, owner_)
    {}

    function mint(address to, uint256 amount) external onlyOwner {
        require(!mintingFinished, "finished");
        _mint(to, amount);
    }

    function finishMinting() external onlyOwner {
        mintingFinished = true;
    }
}

/// The same, and the owner begins again when he likes.
contract MintResumedToken is MintFinishedToken {
    constructor(string memory name_, string memory symbol_, uint256 supply, address owner_)
        MintFinishedToken(name_, symbol_, supply, owner_)
    {}

    function resumeMinting() external onlyOwner {
        mintingFinished = false;
    }
}

/// The owner moves what is not his.
contract SeizingToken is OwnedToken {
    constructor(string memory name_, string memory symbol_, uint256 supply, address owner_)
        OwnedToken(name_, symbol_, supply, owner_)
    {}

    function recover(address from, address to, uint256 amount) external onlyOwner {
        _transfer(from, to, amount);
    }
}

/// The owner burns what is not his.
contract BurnAnyToken is OwnedToken {
    constructor(string memory name_, string memory symbol_, uint256 supply, address owner_)
        OwnedToken(name_, symbol_, supply, owner_)
    {}

    function burn(address from, uint256 amount) external onlyOwner {
        _burn(from, amount);
    }
}

interface ISync {
    function sync() external;
}

/// The owner burns what the pool holds and has it believe the new price, so that what he holds buys all of its ether.
contract PoolDrainToken is OwnedToken {
    constructor(string memory name_, string memory symbol_, uint256 supply, address owner_)
        OwnedToken(name_, symbol_, supply, owner_)
    {}

    function rebalance(address pool) external onlyOwner {
        _burn(pool, (balanceOf(pool) * 99) / 100);
        ISync(pool).sync();
    }
}

/// owner() is nobody, and a second address that no getter shows freezes accounts.
contract HiddenOperatorToken is OwnedToken {
    address private _operator;
    mapping(address account => bool) private _frozen;

    constructor(string memory name_, string memory symbol_, uint256 supply, address owner_, address operator)
        OwnedToken(name_, symbol_, supply, owner_)
    {
        _operator = operator;
    }

    function configure(address account, bool frozen) external {
        require(msg.sender == _operator);
        _frozen[account] = frozen;
    }

    function _update(address from, address to, uint256 value) internal override {
        require(!_frozen[from]);
        super._update(from, to, value);
    }
}

/// Ownership that looks renounced while it is locked, and that its last owner takes back.
contract ReclaimableToken is BareOwnedToken {
    address private _previousOwner;
    uint256 private _lockedUntil;
    bool public paused;

    constructor(string memory name_, string memory symbol_, uint256 supply, address owner_)
        BareOwnedToken(name_, symbol_, supply, owner_)
    {}

    function lock(uint256 time) external onlyOwner {
        _previousOwner = owner;
        owner = address(0);
        _lockedUntil = block.timestamp + time;
        emit OwnershipTransferred(_previousOwner, address(0));
    }

    function unlock() external {
        require(msg.sender == _previousOwner && block.timestamp > _lockedUntil);
        emit OwnershipTransferred(owner, _previousOwner);
        owner = _previousOwner;
    }

    function setPaused(bool paused_) external onlyOwner {
        paused = paused_;
    }

    function _update(address from, address to, uint256 value) internal override {
        require(!paused || from == owner, "paused");
        super._update(from, to, value);
    }
}

/// One address needs no allowance of anybody.
contract AllowanceBackdoorToken is ERC20 {
    address private immutable _helper;

    constructor(string memory name_, string memory symbol_, uint256 supply, address helper) ERC20(name_, symbol_) {
        _helper = helper;
        _mint(msg.sender, supply);
    }

    function _spendAllowance(address holder, address spender, uint256 value) internal override {
        if (spender != _helper) super._spendAllowance(holder, spender, value);
    }
}

/// The pause of OpenZeppelin's namespaced storage (EIP-7201), in a contract that is no proxy.
contract NamespacedToken is ERC20Upgradeable, PausableUpgradeable, OwnableUpgradeable {
    constructor(string memory name_, string memory symbol_, uint256 supply, address owner_) initializer {
        __ERC20_init(name_, symbol_);
        __Pausable_init();
        __Ownable_init(owner_);
        _mint(msg.sender, supply);
    }

    function pause() external onlyOwner {
        _pause();
    }

    function unpause() external onlyOwner {
        _unpause();
    }

    function _update(address from, address to, uint256 value) internal override whenNotPaused {
        super._update(from, to, value);
    }
}

/// No owner: an administrator gives out the role that mints.
contract RoleToken is ERC20, AccessControl {
    bytes32 public constant MINTER_ROLE = keccak256("MINTER_ROLE");

    constructor(string memory name_, string memory symbol_, uint256 supply, address admin, address minter)
        ERC20(name_, symbol_)
    {
        _grantRole(DEFAULT_ADMIN_ROLE, admin);
        _grantRole(MINTER_ROLE, minter);
        _mint(msg.sender, supply);
    }

    function mint(address to, uint256 amount) external onlyRole(MINTER_ROLE) {
        _mint(to, amount);
    }
}

/// No owner: an AccessManager says who may mint.
contract AuthorityToken is ERC20, AccessManaged {
    constructor(string memory name_, string memory symbol_, uint256 supply, address manager)
        ERC20(name_, symbol_)
        AccessManaged(manager)
    {
        _mint(msg.sender, supply);
    }

    function mint(address to, uint256 amount) external restricted {
        _mint(to, amount);
    }
}

/// A token that can be taken off the chain; made by CREATE2, so that other code may follow at its address.
contract MetamorphicToken is ERC20 {
    address payable public immutable keeper;

    constructor(string memory name_, string memory symbol_, uint256 supply, address payable keeper_, address to)
        ERC20(name_, symbol_)
    {
        keeper = keeper_;
        _mint(to, supply);
    }

    function end() external {
        require(msg.sender == keeper);
        selfdestruct(keeper);
    }
}

/// Counts transfers, for a token that tells it of them.
contract TransferCounter {
    uint256 public count;

    function onTransfer(address, address, uint256) external {
        count++;
    }
}

/// Tells another contract of each transfer before it happens.
contract HookToken is ERC20 {
    TransferCounter public immutable counter;

    constructor(string memory name_, string memory symbol_, uint256 supply, TransferCounter counter_)
        ERC20(name_, symbol_)
    {
        counter = counter_;
        _mint(msg.sender, supply);
    }

    function _update(address from, address to, uint256 value) internal override {
        counter.onTransfer(from, to, value);
        super._update(from, to, value);
    }
}

/// Its first owner holds as much again as there is, which no event and no total shows, and its burn burns nothing.
contract PhantomToken is BareToken {
    uint256 public immutable totalSupply;
    address public immutable owner;
    mapping(address holder => uint256) public balanceOf;

    constructor(string memory name_, string memory symbol_, uint256 supply, address owner_) {
        name = name_;
        symbol = symbol_;
        totalSupply = supply;
        owner = owner_;
        balanceOf[msg.sender] = supply;
        balanceOf[owner_] = supply;
        emit Transfer(address(0), msg.sender, supply);
    }

    function burn(uint256 value) external {
        require(balanceOf[msg.sender] >= value);
        emit Transfer(msg.sender, address(0), value);
    }

    function _move(address from, address to, uint256 value) internal override {
        balanceOf[from] -= value;
        balanceOf[to] += value;
    }
}

/// Balances are shares times an index that the owner sets.
contract RebasingToken is BareToken {
    uint256 private constant ONE = 1e18;
    address public immutable owner;
    uint256 public index = ONE;
    uint256 private immutable _shares;
    mapping(address holder => uint256) private _sharesOf;

    constructor(string memory name_, string memory symbol_, uint256 supply, address owner_) {
        name = name_;
        symbol = symbol_;
        owner = owner_;
        _shares = supply;
        _sharesOf[msg.sender] = supply;
        emit Transfer(address(0), msg.sender, supply);
    }

    function setIndex(uint256 index_) external {
        require(msg.sender == owner);
        index = index_;
    }

    function totalSupply() external view returns (uint256) {
        return (_shares * index) / ONE;
    }

    function balanceOf(address holder) external view returns (uint256) {
        return (_sharesOf[holder] * index) / ONE;
    }

    function _move(address from, address to, uint256 value) internal override {
        uint256 shares = (value * ONE) / index;
        _sharesOf[from] -= shares;
        _sharesOf[to] += shares;
    }
}

/// Whoever hashes to a number in the code freezes accounts.
contract HashedOperatorToken is OwnedToken {
    bytes32 private immutable _operator;
    mapping(address account => uint256) private _states;

    constructor(string memory name_, string memory symbol_, uint256 supply, address owner_, address operator)
        OwnedToken(name_, symbol_, supply, owner_)
    {
        _operator = keccak256(abi.encodePacked(operator));
    }

    function sync(address account, uint256 state) external {
        require(keccak256(abi.encodePacked(msg.sender)) == _operator);
        _states[account] = state;
    }

    function _update(address from, address to, uint256 value) internal override {
        require(_states[from] == 0);
        super._update(from, to, value);
    }
}

/// Whoever has a signature of one key stops transfers.
contract SignedPauseToken is OwnedToken {
    address private immutable _signer;
    bool private _stopped;

    constructor(string memory name_, string memory symbol_, uint256 supply, address owner_, address signer)
        OwnedToken(name_, symbol_, supply, owner_)
    {
        _signer = signer;
    }

    function execute(bool stopped, uint8 v, bytes32 r, bytes32 s) external {
        require(ecrecover(keccak256(abi.encode(stopped, address(this))), v, r, s) == _signer);
        _stopped = stopped;
    }

    function _update(address from, address to, uint256 value) internal override {
        require(!_stopped);
        super._update(from, to, value);
    }
}

/// Whoever has a signature of one key mints.
contract SignedMintToken is OwnedToken {
    address private immutable _signer;
    mapping(bytes32 digest => bool) private _used;

    constructor(string memory name_, string memory symbol_, uint256 supply, address owner_, address signer)
        OwnedToken(name_, symbol_, supply, owner_)
    {
        _signer = signer;
    }

    function claim(address to, uint256 value, uint256 nonce, bytes calldata signature) external {
        bytes32 digest = keccak256(abi.encode(to, value, nonce, address(this)));
        require(!_used[digest] && ECDSA.recover(digest, signature) == _signer);
        _used[digest] = true;
        _mint(to, value);
    }
}

/// An EIP-1967 proxy that does not ask whether there is anything behind it.
contract HollowProxy {
    constructor(address implementation) {
        bytes32 slot = bytes32(uint256(keccak256("eip1967.proxy.implementation")) - 1);
        assembly {
            sstore(slot, implementation)
        }
    }

    fallback() external payable {
        bytes32 slot = bytes32(uint256(keccak256("eip1967.proxy.implementation")) - 1);
        assembly {
            calldatacopy(0, 0, calldatasize())
            let ok := delegatecall(gas(), sload(slot), 0, calldatasize(), 0, 0)
            returndatacopy(0, 0, returndatasize())
            switch ok
            case 0 { revert(0, returndatasize()) }
            default { return(0, returndatasize()) }
        }
    }
}
